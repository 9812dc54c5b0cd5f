// Runs the jq programs and JSON Schemas that callers define. Every program, schema and payload may be hostile, so all
// of them run in worker threads with limits (pool.ts, worker.mjs) and never on the event loop.
import type { ErrorObject } from 'ajv'
import type { Clock } from '../lib/clock.ts'
import type { FieldErrors } from '../lib/errors.ts'
import { collectFieldErrors } from '../lib/sentences.ts'
import { type JqLimits, type JqOrg, makePool, type WorkOutcome } from './pool.ts'

export { JQ_LIMITS, type JqLimits, type JqOrg } from './pool.ts'

const KIB = 1024
const MAX_INPUT_BYTES = 1024 * KIB
const MAX_PROGRAM_BYTES = 16 * KIB
const MAX_SCHEMA_BYTES = 256 * KIB
const MAX_SCHEMA_DEPTH = 64

/** `stopped`: it hit a limit and cost a worker; a retry would cost another. */
type JqOutcome = { ok: true; values: unknown[] } | { ok: false; reason: string; stopped?: true }

export interface JqEngine {
  /** Runs the work of one organization, which has its own queue. */
  forOrg(org: JqOrg): Jq
  /** Processor time that the organization used in the last hour, in this process. */
  getUsedSeconds(org_id: string): number
  close(): Promise<void>
}

export interface Jq {
  /** Returns jq's error message, or undefined if the program compiles. */
  findCompileProblem(program: string): Promise<string | undefined>
  /** Checks several programs, which share one limit of processor time. */
  listCompileProblems(programs: readonly string[]): Promise<(string | undefined)[]>
  /**
   * One outcome per program, in order. A program that fails, hits a limit or yields nothing is an error, never true.
   * The programs after a stopped one do not run.
   */
  run(programs: readonly string[], input: unknown): Promise<JqOutcome[]>
  findSchemaProblem(schema: unknown): Promise<string | undefined>
  /** Sentences by field path, '' for the data as a whole; undefined if the data is valid. */
  listSchemaErrors(schema: unknown, data: unknown): Promise<FieldErrors | undefined>
}

/** The pool, bound to one organization. */
type Work = <R>(work: string, task: object) => Promise<WorkOutcome<R>>

/** Starts no worker yet: the first one starts with the first task. */
export function makeJqEngine(limits: JqLimits, clock: Clock): JqEngine {
  const pool = makePool(limits, clock)
  return {
    forOrg: org => makeJq((work, task) => pool.run(org, work, task)),
    getUsedSeconds: org_id => pool.used_ms(org_id) / 1000,
    close: pool.close,
  }
}

function makeJq(work: Work): Jq {
  const listCompileProblems = (programs: readonly string[]) => compile(work, programs)
  return {
    findCompileProblem: async program => (await listCompileProblems([program]))[0],
    listCompileProblems,
    run: (programs, input) => run(work, programs, input),
    findSchemaProblem: schema => findSchemaProblem(work, schema),
    listSchemaErrors: (schema, data) => listSchemaErrors(work, schema, data),
  }
}

async function compile(work: Work, programs: readonly string[]): Promise<(string | undefined)[]> {
  const rejected = programs.map(findProgramProblem)
  const accepted = programs.filter((_, i) => rejected[i] === undefined)
  const problems = await runSteps<string | null>(work, 'compile', { programs: accepted }, reason => reason)
  return rejected.map(reason => reason ?? problems.shift() ?? undefined)
}

async function run(work: Work, programs: readonly string[], input: unknown): Promise<JqOutcome[]> {
  const text = JSON.stringify(input ?? null)
  const toFailure = (reason: string): JqOutcome => ({ ok: false, reason })
  if (Buffer.byteLength(text) > MAX_INPUT_BYTES)
    return programs.map(() => toFailure('The data exceeds 1 MiB'))
  const rejected = programs.map(findProgramProblem)
  const accepted = programs.filter((_, i) => rejected[i] === undefined)
  const toStopped = (reason: string): JqOutcome => ({ ok: false, reason, stopped: true })
  const outcomes = await runSteps<JqOutcome>(work, 'run', { programs: accepted, input: text }, toStopped)
  return rejected.map(
    reason => (reason === undefined ? outcomes.shift() : undefined) ?? toFailure(reason ?? NOT_RUN),
  )
}

const NOT_RUN = 'was not run because an earlier one was stopped'

/** Returns one outcome per program, whatever happens to the worker. */
async function runSteps<T>(
  work: Work,
  name: 'compile' | 'run',
  task: { programs: string[]; input?: string },
  toFailed: (reason: string) => T,
): Promise<T[]> {
  const { programs } = task
  if (programs.length === 0) return []
  const outcome = await work<T[]>(name, task)
  if (!outcome.stopped) return outcome.result
  const done = [...(outcome.finished as T[]), toFailed(outcome.reason)]
  return programs.map((_, i) => done[i] ?? toFailed(NOT_RUN))
}

/** Programs that must not reach jq: a NUL would truncate the program, and a leading `-` would be a jq option. */
function findProgramProblem(program: string): string | undefined {
  if (Buffer.byteLength(program) > MAX_PROGRAM_BYTES) return 'is longer than 16 KiB'
  if (program.includes('\0')) return 'contains a NUL character'
  return program.startsWith('-') ? "begins with '-'; put it in parentheses" : undefined
}

async function findSchemaProblem(work: Work, schema: unknown): Promise<string | undefined> {
  if (isDeeperThan(schema, MAX_SCHEMA_DEPTH)) return `is nested deeper than ${MAX_SCHEMA_DEPTH} levels`
  const text = JSON.stringify(schema)
  if (text === undefined || Buffer.byteLength(text) > MAX_SCHEMA_BYTES) return 'is longer than 256 KiB'
  const outcome = await work<string | null>('checkSchema', { schema: text })
  return outcome.stopped ? outcome.reason : (outcome.result ?? undefined)
}

async function listSchemaErrors(
  work: Work,
  schema: unknown,
  data: unknown,
): Promise<FieldErrors | undefined> {
  const text = JSON.stringify(data ?? null)
  if (Buffer.byteLength(text) > MAX_INPUT_BYTES) return { '': 'The data exceeds 1 MiB' }
  const task = { schema: JSON.stringify(schema), data: text }
  const outcome = await work<ErrorObject[] | null>('validate', task)
  if (outcome.stopped) return { '': `Checking the data against the schema ${outcome.reason}` }
  return outcome.result ? toFieldErrors(outcome.result) : undefined
}

function toFieldErrors(found: ErrorObject[]): FieldErrors {
  const wording = { prefix: '', from_text: false }
  const errors = collectFieldErrors(found, wording)
  if (Object.keys(errors).length > 0) return errors
  // Only wrapper keywords failed, which are skipped above: for example `oneOf` if two branches match.
  return collectFieldErrors(
    found.map(error => ({ ...error, keyword: 'schema' })),
    wording,
  )
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some(inner => isDeeperThan(inner, depth - 1))
}

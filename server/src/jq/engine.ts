// `jq` and JSON Schema for what callers define themselves: every program, schema and payload is hostile until shown
// otherwise, so all of it runs in worker threads with limits (pool.ts, worker.mjs) and none of it on the event loop.
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

/** `stopped`: it ran into a limit and cost a worker; trying it again would cost another. */
export type JqOutcome = { ok: true; values: unknown[] } | { ok: false; reason: string; toStopped?: true }

export interface JqEngine {
  /** The work of one organization, which waits only for its own and for its turn among the others. */
  forOrg(org: JqOrg): Jq
  /** Processor time that the organization used in the last hour, in this process. */
  getUsedSeconds(org_id: string): number
  close(): Promise<void>
}

export interface Jq {
  /** Undefined when the program compiles, else jq's own reason. */
  findCompileProblem(program: string): Promise<string | undefined>
  /** The same for several, within one limit of processor time. */
  listCompileProblems(programs: readonly string[]): Promise<(string | undefined)[]>
  /**
   * One outcome per program, in order; a program that fails, runs away or yields nothing is an error, never true.
   * After one that had to be stopped the rest is not run.
   */
  run(programs: readonly string[], input: unknown): Promise<JqOutcome[]>
  findSchemaProblem(schema: unknown): Promise<string | undefined>
  /** Field path to sentence, '' for the data as a whole; undefined when the data fits. */
  listSchemaErrors(schema: unknown, data: unknown): Promise<FieldErrors | undefined>
}

/** The pool as one organization uses it. */
type Work = <R>(work: string, task: object) => Promise<WorkOutcome<R>>

/** Starts nothing: the first worker comes with the first piece of work. */
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
    listCompileProblems: listCompileProblems,
    run: (programs, input) => run(work, programs, input),
    findSchemaProblem: schema => findSchemaProblem(work, schema),
    listSchemaErrors: (schema, data) => listSchemaErrors(work, schema, data),
  }
}

async function compile(work: Work, programs: readonly string[]): Promise<(string | undefined)[]> {
  const refused = programs.map(findProgramProblem)
  const tried = programs.filter((_, i) => refused[i] === undefined)
  const problems = await runSteps<string | null>(work, 'compile', { programs: tried }, reason => reason)
  return refused.map(reason => reason ?? problems.shift() ?? undefined)
}

async function run(work: Work, programs: readonly string[], input: unknown): Promise<JqOutcome[]> {
  const text = JSON.stringify(input ?? null)
  const toFailure = (reason: string): JqOutcome => ({ ok: false, reason })
  if (Buffer.byteLength(text) > MAX_INPUT_BYTES)
    return programs.map(() => toFailure('The data exceeds 1 MiB'))
  const refused = programs.map(findProgramProblem)
  const tried = programs.filter((_, i) => refused[i] === undefined)
  const toStopped = (reason: string): JqOutcome => ({ ...toFailure(reason), toStopped: true }) as JqOutcome
  const outcomes = await runSteps<JqOutcome>(work, 'run', { programs: tried, input: text }, toStopped)
  return refused.map(
    reason => (reason === undefined ? outcomes.shift() : undefined) ?? toFailure(reason ?? NOT_RUN),
  )
}

const NOT_RUN = 'was not run, because one before it had to be stopped'

/** An answer per program, whatever happens to the worker. */
async function runSteps<T>(
  work: Work,
  name: 'compile' | 'run',
  task: { programs: string[]; input?: string },
  failed: (reason: string) => T,
): Promise<T[]> {
  const { programs } = task
  if (programs.length === 0) return []
  const outcome = await work<T[]>(name, task)
  if (!outcome.stopped) return outcome.result
  const done = [...(outcome.finished as T[]), failed(outcome.reason)]
  return programs.map((_, i) => done[i] ?? failed(NOT_RUN))
}

/** What never reaches jq: a NUL would end the program early, and a leading `-` would be an option of jq's. */
function findProgramProblem(program: string): string | undefined {
  if (Buffer.byteLength(program) > MAX_PROGRAM_BYTES) return 'is longer than 16 KiB'
  if (program.includes('\0')) return 'holds a NUL character'
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
  // Only wrappers, which are left out where something inside them tells more: `oneOf` when two of them fit.
  return collectFieldErrors(
    found.map(error => ({ ...error, keyword: 'schema' })),
    wording,
  )
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some(inner => isDeeperThan(inner, depth - 1))
}

// `jq` and JSON Schema for what callers define themselves: every program, schema and payload is hostile until shown
// otherwise, so all of it runs in worker threads with limits (pool.ts, worker.mjs) and none of it on the event loop.
import type { ErrorObject } from 'ajv'
import type { Clock } from '../lib/clock.ts'
import type { FieldErrors } from '../lib/errors.ts'
import { fieldErrors } from '../lib/sentences.ts'
import { type Ended, type JqLimits, type JqOrg, makePool } from './pool.ts'

export { JQ_LIMITS, type JqLimits, type JqOrg } from './pool.ts'

const KIB = 1024
const MAX_INPUT_BYTES = 1024 * KIB
const MAX_PROGRAM_BYTES = 16 * KIB
const MAX_SCHEMA_BYTES = 256 * KIB
const MAX_SCHEMA_DEPTH = 64

/** `stopped`: it ran into a limit and cost a worker; trying it again would cost another. */
export type JqOutcome = { ok: true; values: unknown[] } | { ok: false; reason: string; stopped?: true }

export interface JqEngine {
  /** The work of one organization, which waits only for its own and for its turn among the others. */
  of(org: JqOrg): Jq
  /** Processor time that the organization used in the last hour, in this process. */
  usedSeconds(org_id: string): number
  close(): Promise<void>
}

export interface Jq {
  /** Undefined when the program compiles, else jq's own reason. */
  compileProblem(program: string): Promise<string | undefined>
  /** The same for several, within one limit of processor time. */
  compileProblems(programs: readonly string[]): Promise<(string | undefined)[]>
  /**
   * One outcome per program, in order; a program that fails, runs away or yields nothing is an error, never true.
   * After one that had to be stopped the rest is not run.
   */
  run(programs: readonly string[], input: unknown): Promise<JqOutcome[]>
  schemaProblem(schema: unknown): Promise<string | undefined>
  /** Field path to sentence, '' for the data as a whole; undefined when the data fits. */
  schemaErrors(schema: unknown, data: unknown): Promise<FieldErrors | undefined>
}

/** The pool as one organization uses it. */
type Work = <R>(work: string, task: object) => Promise<Ended<R>>

/** Starts nothing: the first worker comes with the first piece of work. */
export function makeJqEngine(limits: JqLimits, clock: Clock): JqEngine {
  const pool = makePool(limits, clock)
  return {
    of: org => jqOf((work, task) => pool.run(org, work, task)),
    usedSeconds: org_id => pool.used_ms(org_id) / 1000,
    close: pool.close,
  }
}

function jqOf(work: Work): Jq {
  const compileProblems = (programs: readonly string[]) => compile(work, programs)
  return {
    compileProblem: async program => (await compileProblems([program]))[0],
    compileProblems,
    run: (programs, input) => run(work, programs, input),
    schemaProblem: schema => schemaProblem(work, schema),
    schemaErrors: (schema, data) => schemaErrors(work, schema, data),
  }
}

async function compile(work: Work, programs: readonly string[]): Promise<(string | undefined)[]> {
  const refused = programs.map(refusal)
  const tried = programs.filter((_, i) => refused[i] === undefined)
  const problems = await stepByStep<string | null>(work, 'compile', { programs: tried }, reason => reason)
  return refused.map(reason => reason ?? problems.shift() ?? undefined)
}

async function run(work: Work, programs: readonly string[], input: unknown): Promise<JqOutcome[]> {
  const text = JSON.stringify(input ?? null)
  const failed = (reason: string): JqOutcome => ({ ok: false, reason })
  if (Buffer.byteLength(text) > MAX_INPUT_BYTES) return programs.map(() => failed('The data exceeds 1 MiB'))
  const refused = programs.map(refusal)
  const tried = programs.filter((_, i) => refused[i] === undefined)
  const stopped = (reason: string): JqOutcome => ({ ...failed(reason), stopped: true }) as JqOutcome
  const outcomes = await stepByStep<JqOutcome>(work, 'run', { programs: tried, input: text }, stopped)
  return refused.map(
    reason => (reason === undefined ? outcomes.shift() : undefined) ?? failed(reason ?? NOT_RUN),
  )
}

const NOT_RUN = 'was not run, because one before it had to be stopped'

/** An answer per program, whatever happens to the worker. */
async function stepByStep<T>(
  work: Work,
  name: 'compile' | 'run',
  task: { programs: string[]; input?: string },
  failed: (reason: string) => T,
): Promise<T[]> {
  const { programs } = task
  if (programs.length === 0) return []
  const ended = await work<T[]>(name, task)
  if (!ended.stopped) return ended.result
  const done = [...(ended.finished as T[]), failed(ended.reason)]
  return programs.map((_, i) => done[i] ?? failed(NOT_RUN))
}

/** What never reaches jq: a NUL would end the program early, and a leading `-` would be an option of jq's. */
function refusal(program: string): string | undefined {
  if (Buffer.byteLength(program) > MAX_PROGRAM_BYTES) return 'is longer than 16 KiB'
  if (program.includes('\0')) return 'holds a NUL character'
  return program.startsWith('-') ? "begins with '-'; put it in parentheses" : undefined
}

async function schemaProblem(work: Work, schema: unknown): Promise<string | undefined> {
  if (isDeeperThan(schema, MAX_SCHEMA_DEPTH)) return `is nested deeper than ${MAX_SCHEMA_DEPTH} levels`
  const text = JSON.stringify(schema)
  if (text === undefined || Buffer.byteLength(text) > MAX_SCHEMA_BYTES) return 'is longer than 256 KiB'
  const ended = await work<string | null>('checkSchema', { schema: text })
  return ended.stopped ? ended.reason : (ended.result ?? undefined)
}

async function schemaErrors(work: Work, schema: unknown, data: unknown): Promise<FieldErrors | undefined> {
  const text = JSON.stringify(data ?? null)
  if (Buffer.byteLength(text) > MAX_INPUT_BYTES) return { '': 'The data exceeds 1 MiB' }
  const task = { schema: JSON.stringify(schema), data: text }
  const ended = await work<ErrorObject[] | null>('validate', task)
  if (ended.stopped) return { '': `Checking the data against the schema ${ended.reason}` }
  return ended.result ? inSentences(ended.result) : undefined
}

function inSentences(found: ErrorObject[]): FieldErrors {
  const wording = { prefix: '', from_text: false }
  const errors = fieldErrors(found, wording)
  if (Object.keys(errors).length > 0) return errors
  // Only wrappers, which are left out where something inside them tells more: `oneOf` when two of them fit.
  return fieldErrors(
    found.map(error => ({ ...error, keyword: 'schema' })),
    wording,
  )
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some(inner => isDeeperThan(inner, depth - 1))
}

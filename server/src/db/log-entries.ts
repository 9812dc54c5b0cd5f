// Events that a transaction's statements insert, and how they get their log numbers before it commits.
import type { Query } from './packet.ts'
import type { Plan } from './statement.ts'

/** One statement of a batch with its values, made by `makeStep`. */
export interface Step extends Query {
  plan?: Plan | undefined
  /** The events that this step inserts. */
  logged?: readonly LogEntry[]
}

/** An event of one organization. Anything else the log needs to know stays between its step and `append`. */
export interface LogEntry {
  readonly org_id: string
  /** Builds the last statements of the transaction for all its entries, which share this function. */
  readonly append: AppendToLog
}

export type AppendToLog = (entries: readonly LogEntry[], context: AppendContext) => Promise<Appending>

/** The keys of open logs, by organization. */
export type KnownLogs = Map<string, Buffer>

export interface AppendContext {
  known: KnownLogs
  /** Runs statements in the transaction. */
  runSteps(steps: readonly Step[]): Promise<unknown[][]>
}

export interface Appending {
  steps: readonly Step[]
  /** Called with the rows of each step once the transaction has committed. */
  onCommitted(rows: readonly unknown[][]): void
}

const NOTHING: Appending = { steps: [], onCommitted: () => undefined }

export function listEntries(steps: readonly Step[]): LogEntry[] {
  return steps.flatMap(({ logged }) => logged ?? [])
}

export function areLogsKnown(known: KnownLogs, entries: readonly LogEntry[]): boolean {
  return entries.every(({ org_id }) => known.has(org_id))
}

export async function startAppending(
  entries: readonly LogEntry[],
  known: KnownLogs,
  runSteps: AppendContext['runSteps'],
): Promise<Appending> {
  const [first] = entries
  return first ? first.append(entries, { known, runSteps }) : NOTHING
}

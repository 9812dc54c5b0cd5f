// Events that the statements of a transaction insert, and how they get their numbers in the log before it commits.
import type { Query } from './packet.ts'
import type { Plan } from './statement.ts'

/** One statement of a batch with its values, made by `makeStep`. */
export interface Step extends Query {
  plan?: Plan | undefined
  /** The events that it inserts. */
  logged?: readonly LogEntry[]
}

/** An event of one organization. What else the log needs to know is between its step and `append`. */
export interface LogEntry {
  readonly org_id: string
  /** Builds the last statements of the transaction for all of its entries. The same function for all of them. */
  readonly append: AppendToLog
}

export type AppendToLog = (entries: readonly LogEntry[], context: AppendContext) => Promise<Appending>

/** The keys of the logs that are known to be open, by organization. */
export type KnownLogs = Map<string, Buffer>

export interface AppendContext {
  known: KnownLogs
  /** Runs statements in the transaction. */
  runSteps(steps: readonly Step[]): Promise<unknown[][]>
}

export interface Appending {
  steps: readonly Step[]
  /** Called with the rows of each step when the transaction has committed. */
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

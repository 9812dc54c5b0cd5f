// The data that a handler passes on when a report body is large: the bytes as they arrived, and the rest of the
// request. Parsing the body here would keep the event loop from serving anybody else.

import type { CallerFacts } from '../events/insert-store.ts'
import type { LoggedLeaf } from '../events/leaf-receipt.ts'

/** Report bodies up to this size are parsed where they arrive, because a thread would take longer to respond. */
export const LARGE_REPORT_BYTES = 256 * 1024

export interface LargeReport {
  operation_id: string
  /** Belongs to the receiver from now on: it may be moved to another thread. */
  body: Uint8Array
  params: { org: string; env_name: string }
  org: { org_id: string; name: string; sponsor: string }
  caller: { name: string } & CallerFacts
  now: Date
  request_id: string
}

/** The response. */
export interface AnsweredReport {
  body: 'OK' | { late: true; observed_at: number; newest_at: number }
  headers: Record<string, string>
}

export interface StoredReport extends AnsweredReport {
  /** The positions of its events in the log. */
  leaves: LoggedLeaf[]
}

export interface LargeReports {
  /** Checks and stores a report as its operation does. */
  store(report: LargeReport): Promise<StoredReport>
}

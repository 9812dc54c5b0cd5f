// What a handler passes on when the body of a report is large: the bytes as they arrived, and what the request says
// besides them. Parsing them would keep the event loop from answering anybody else.

/** Bodies of reports up to this size are parsed where they arrive, because a thread would take longer to answer. */
export const LARGE_REPORT_BYTES = 256 * 1024

export interface LargeReport {
  operation_id: string
  /** Belongs to the receiver from now on: it may be moved to another thread. */
  body: Uint8Array
  params: { org: string; env_name: string }
  org: { org_id: string; name: string }
  caller: { name: string }
  now: Date
  request_id: string
}

export interface LargeReports {
  /** Checks and stores a report as its operation does, and returns the headers of the response. */
  store(report: LargeReport): Promise<Record<string, string>>
}

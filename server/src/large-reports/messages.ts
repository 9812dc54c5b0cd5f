// Messages between the application and the thread that stores large reports.
import type { LargeReport, StoredReport } from '../api/large-reports.ts'
import type { PoolSettings } from '../db/database.ts'
import type { FieldErrors } from '../lib/errors.ts'

/** The data that the thread gets when it starts. */
export interface ThreadData {
  database: PoolSettings
  base_url: string
}

export type ToThread = { number: number; report: LargeReport } | 'close'

/** The statements and waits of a report, for the application's counters. */
export interface Sent {
  statements: string[]
  waits: string[]
}

interface Refusal {
  status: number
  message: string
  errors: FieldErrors | undefined
  headers: Record<string, string>
}

export type Outcome =
  | StoredReport
  | { refusal: Refusal }
  /** A bug, with its stack for the log. */
  | { failure: string }

export interface FromThread {
  number: number
  sent: Sent
  outcome: Outcome
}

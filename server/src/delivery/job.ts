// The contract between the worker and the kinds of jobs: a claimed job and its outcome.
import type { Db } from '../db/database.ts'
import type { Job } from './outbox.ts'

export interface Outcome {
  /** Null on success; otherwise the reason, worded for anyone who may see the job. */
  error: string | null
  /** A retry would not help. */
  is_final?: boolean
  /** Nothing was sent, so the outcome says nothing about the target. */
  is_untried?: boolean
  /** No attempt before then, as the receiver requested. */
  retry_after_s?: number | null
  /** The receiver's response: its status and the first bytes of the rest. */
  status?: number | null
  answer?: string | null
  /** Whether the target's receiver responded, other than with a server error; omitted if unknown. */
  is_reached?: boolean
  /** Switches off the target of this job. */
  switches_off?: boolean
  /** Why it was not sent, and will not be: its recipient stopped all mail, or it is held back for their digest. */
  suppressed?: 'stopped' | 'held' | null
}

export interface JobKind {
  /** Runs the job. An exception counts as a failure that is retried. */
  work(job: Job): Promise<Outcome>
  /** Whether the payload is removed as soon as the job is finished. */
  forgets_payload?: boolean
  /** Called in the transaction that switched off the job's target. */
  onSwitchedOff?(tx: Db, job: Job, outcome: Outcome, now: Date): Promise<void>
}

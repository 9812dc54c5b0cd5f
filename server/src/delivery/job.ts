// What the worker and the kinds of jobs agree on: a job that was claimed, and what became of it.
import type { Db } from '../db/database.ts'
import type { Job } from './outbox.ts'

export interface Outcome {
  /** Null when it was done; otherwise why not, in words that may be shown to whoever may see the job. */
  error: string | null
  /** Trying again would be of no use. */
  is_final?: boolean
  /** Nothing was sent, so that it says nothing about the target. */
  is_untried?: boolean
  /** No attempt before that: the other side asked for it. */
  retry_after_s?: number | null
  /** What the other side answered: its status and the first bytes of the rest. */
  status?: number | null
  answer?: string | null
  /** Nothing more is sent to the target of this job. */
  switches_off?: boolean
}

export interface JobKind {
  /** Does the job. What it throws counts as a failure that is worth another attempt. */
  work(job: Job): Promise<Outcome>
  /** What a job carries is removed as soon as it is finished. */
  forgets_payload?: boolean
  /** Called in the transaction that switched the target of the job off. */
  onSwitchedOff?(tx: Db, job: Job, outcome: Outcome, now: Date): Promise<void>
}

// Works the outbox: claim, do, record. What a kind of job does is given from outside; the worker only knows leases,
// retries and when to stop.
import type { Database } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { claimJobs, finishJob, type Job, postponeJob, readBacklog } from './outbox.ts'

const LEASE_MS = 60_000
const POLL_MS = 500
const MOST_AT_ONCE = 20
const MEASURE_EVERY_MS = 5_000
/** Without a round of the loop for this long, the worker counts as stuck. */
const STALL_MS = 30_000

/** Does the job and returns; throws to have it tried again. */
export type JobHandler = (job: Job) => Promise<void>

export interface WorkerParts {
  db: Database
  clock: Clock
  log: Log
  handlers: Readonly<Record<string, JobHandler>>
  retry_schedule_s: readonly number[]
  onBacklog(waiting: number, oldest_age_seconds: number): void
}

export interface Worker {
  isWell(): boolean
  stop(): Promise<void>
}

export function startWorker(parts: WorkerParts): Worker {
  const { clock, log } = parts
  let stopping = false
  let wake: () => void = () => undefined
  let last_round_ms = clock.monotonic_ms()
  let measured_ms = Number.NEGATIVE_INFINITY

  async function round(): Promise<number> {
    const now_ms = clock.monotonic_ms()
    if (now_ms - measured_ms > MEASURE_EVERY_MS) {
      measured_ms = now_ms
      await measure(parts)
    }
    const now = clock.now()
    const jobs = await claimJobs(parts.db, now, new Date(now.getTime() + LEASE_MS), MOST_AT_ONCE)
    await Promise.all(
      jobs.map(job =>
        work(job, parts).catch(error =>
          // One job's trouble must not cut the others' round short; the lease brings the job back.
          log.warn({ err: error, job_id: job.job_id }, 'what became of a job could not be recorded'),
        ),
      ),
    )
    last_round_ms = clock.monotonic_ms()
    return jobs.length
  }

  async function loop(): Promise<void> {
    while (!stopping) {
      const done = await round().catch(error => {
        // The database is away.
        log.warn({ err: error }, 'the worker will try again')
        return 0
      })
      if (done < MOST_AT_ONCE && !stopping) {
        await new Promise<void>(resolve => {
          wake = resolve
          setTimeout(resolve, POLL_MS).unref()
        })
      }
    }
  }

  const running = loop()
  return {
    isWell: () => clock.monotonic_ms() - last_round_ms < STALL_MS,
    stop: async () => {
      stopping = true
      wake()
      await running
    },
  }
}

async function work(job: Job, { db, clock, log, handlers, retry_schedule_s }: WorkerParts): Promise<void> {
  const handler = handlers[job.kind]
  if (!handler) {
    // A newer version wrote it: left, with all its attempts, for a worker that knows the kind.
    const due_at = new Date(clock.now().getTime() + LEASE_MS)
    const last_error = `No handler for ${job.kind}`
    return postponeJob(db, job, { due_at, attempts: job.attempts - 1, last_error })
  }
  const failure = await failureOf(handler, job)
  if (failure) {
    const { job_id, kind, attempts } = job
    log.warn({ err: failure, job_id, kind, attempts }, 'a job failed')
  }
  const last_error = failure?.message ?? null
  const wait_s = retry_schedule_s[job.attempts]
  if (last_error === null || wait_s === undefined) {
    await finishJob(db, job, clock.now(), last_error)
    return
  }
  const due_at = new Date(clock.now().getTime() + wait_s * 1000)
  await postponeJob(db, job, { due_at, attempts: job.attempts, last_error })
}

async function failureOf(handler: JobHandler, job: Job): Promise<Error | undefined> {
  try {
    await handler(job)
    return undefined
  } catch (error) {
    // Data from here on: the caller records it and decides about another attempt.
    return error instanceof Error ? error : new Error(String(error))
  }
}

async function measure({ db, clock, onBacklog }: WorkerParts): Promise<void> {
  const { waiting, oldest_due_at } = await readBacklog(db)
  const age_ms = oldest_due_at ? clock.now().getTime() - oldest_due_at.getTime() : 0
  onBacklog(waiting, Math.max(0, age_ms / 1000))
}

// One attempt at a job: runs the handler of its kind and records the result. Only the holder of the lease can record
// a result.
import type { Database, Db } from '../db/database.ts'
import { type Breaker, decideBreaker } from '../domain/notification/breaker.ts'
import { assert } from '../lib/assert.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Random } from '../lib/random.ts'
import { type Span, type Tracer, trace } from '../lib/tracing.ts'
import { countJob, type WorkCounters } from '../lib/work-counters.ts'
import { lockBreaker, saveBreaker } from './breaker-store.ts'
import type { JobKind, Outcome } from './job.ts'
import type { Job } from './outbox.ts'
import { computeRetryDelay } from './retry.ts'
import { type Settled, type Settlement, settleAlone, settleInTransaction } from './settle-store.ts'

/** A target is switched off after failing for this long without a success. */
const SWITCH_OFF_AFTER_MS = 5 * 24 * 60 * 60 * 1000
const UNKNOWN_KIND_WAIT_MS = 60_000
const MAX_ERROR_CHARACTERS = 1_000
/** Replaces internal error messages, which are not meant for readers of the delivery log. */
const NOT_PREPARED = 'The message could not be prepared'
const PAUSED = 'messages to a target are paused, because its receiver cannot be reached'
const RESUMED = 'messages to a target are sent again, because its receiver responds'

export interface AttemptParts {
  db: Database
  clock: Clock
  random: Random
  log: Log
  work: WorkCounters
  kinds: Readonly<Record<string, JobKind>>
  retry_schedule_s: readonly number[]
  tracer?: Tracer | undefined
}

export function attemptJob(job: Job, parts: AttemptParts): Promise<void> {
  const attributes = { 'waybill.job.id': job.job_id, 'waybill.job.attempt': job.attempts }
  const start = { name: `deliver ${job.kind}`, kind: 'client', attributes } as const
  return trace(parts.tracer, start, span => attemptTraced(job, parts, span))
}

async function attemptTraced(job: Job, parts: AttemptParts, span: Span | undefined): Promise<void> {
  const { kinds, log } = parts
  const kind = kinds[job.kind]
  const settled = kind ? await attempt(job, kind, parts, span) : await leaveForOthers(job, parts)
  // The current holder of the lease runs the job again, and that result counts.
  if (!settled.is_counted) log.warn({ job_id: job.job_id, kind: job.kind }, 'the lease of a job was lost')
}

async function attempt(
  job: Job,
  kind: JobKind,
  parts: AttemptParts,
  span: Span | undefined,
): Promise<Settled> {
  const { clock } = parts
  const started_ms = clock.monotonic_ms()
  const outcome = await runJob(kind, job, parts.log)
  const duration_ms = Math.round(clock.monotonic_ms() - started_ms)
  span?.set({ 'http.response.status_code': outcome.status ?? undefined })
  // The reason may quote the receiver; it is in the delivery log.
  if (outcome.error !== null) span?.fail(String(outcome.status ?? 'not_delivered'))
  countJob(parts.work, job.kind, nameOutcome(outcome), duration_ms / 1000)
  const forgets_payload = kind.forgets_payload === true
  const settlement = { ...buildSettlement(job, outcome, clock.now(), parts), duration_ms, forgets_payload }
  return recordOutcome(parts, kind, job, outcome, settlement)
}

function nameOutcome({ error, suppressed }: Outcome): 'done' | 'failed' | 'suppressed' {
  if (error !== null) return 'failed'
  return suppressed ? 'suppressed' : 'done'
}

/** A newer version queued the job: leave it, with all its attempts, to a worker that knows the kind. */
function leaveForOthers(job: Job, parts: AttemptParts): Promise<Settled> {
  const now = parts.clock.now()
  const outcome: Outcome = { error: `No handler for ${job.kind}`, is_untried: true }
  return settleAlone(parts.db, {
    ...buildSettlement(job, outcome, now, parts),
    attempts: job.attempts - 1,
    due_at: new Date(now.getTime() + UNKNOWN_KIND_WAIT_MS),
  })
}

async function runJob(kind: JobKind, job: Job, log: Log): Promise<Outcome> {
  const { job_id, attempts } = job
  try {
    const outcome = await kind.work(job)
    if (outcome.error !== null) {
      log.info({ job_id, kind: job.kind, attempts, reason: outcome.error }, 'a job did not succeed')
    }
    return outcome
  } catch (error) {
    // From here on the error is data: it is recorded, and it determines the retry.
    log.warn({ err: error, job_id, kind: job.kind, attempts }, 'a job failed')
    if (job.event_type !== null) return { error: NOT_PREPARED }
    const message = error instanceof Error ? error.message : String(error)
    return { error: message.slice(0, MAX_ERROR_CHARACTERS) }
  }
}

function buildSettlement(
  job: Job,
  outcome: Outcome,
  now: Date,
  { random, retry_schedule_s }: AttemptParts,
): Settlement {
  const { org_id, job_id, lease_no, attempts } = job
  const switches_off = outcome.switches_off === true
  const wait_s =
    outcome.error === null
      ? undefined
      : computeRetryDelay({
          schedule_s: retry_schedule_s,
          attempts,
          is_final: outcome.is_final === true || switches_off,
          retry_after_s: outcome.retry_after_s ?? null,
          jitter: random(),
        })
  return {
    org_id,
    job_id,
    lease_no,
    attempts,
    now,
    error: toStorable(outcome.error),
    due_at: wait_s === undefined ? null : new Date(now.getTime() + wait_s * 1000),
    forgets_payload: false,
    counts: outcome.is_untried !== true && !outcome.suppressed,
    suppressed: outcome.suppressed ?? null,
    duration_ms: 0,
    status: outcome.status ?? null,
    answer: toStorable(outcome.answer ?? null),
    is_reached: outcome.is_reached === true,
    switches_off,
    failing_too_long: new Date(now.getTime() - SWITCH_OFF_AFTER_MS),
  }
}

/** PostgreSQL stores no NUL characters, and a result that cannot be recorded would be retried forever. */
function toStorable(text: string | null): string | null {
  return text?.replaceAll('\0', '') ?? null
}

/** Only a failure can switch a target off or pause it; the admins are then notified by the same commit. */
async function recordOutcome(
  parts: AttemptParts,
  kind: JobKind,
  job: Job,
  outcome: Outcome,
  settlement: Settlement,
): Promise<Settled> {
  const { db, log } = parts
  const { org_id, target_id } = job
  if (outcome.error === null || target_id === null || !(kind.onSwitchedOff || outcome.is_reached === false)) {
    const settled = await settleAlone(db, settlement)
    if (settled.is_resumed) log.info({ org_id, target_id }, RESUMED)
    return settled
  }
  const { error } = outcome
  const { settled, paused } = await db.withTransaction({ org_id }, async tx => {
    const settled = await settleInTransaction(tx, settlement)
    if (settled.is_switched_off) await kind.onSwitchedOff?.(tx, job, outcome, settlement.now)
    const counts = settled.is_counted && !settled.is_switched_off && outcome.is_reached === false
    return {
      settled,
      paused: counts ? await countFailure(tx, { ...job, target_id }, error, parts) : undefined,
    }
  })
  if (settled.is_resumed) log.info({ org_id, target_id }, RESUMED)
  if (paused) log.warn({ org_id, target_id, ...paused, reason: error }, PAUSED)
  return settled
}

/** Returns the pause if this failure began one. */
async function countFailure(
  tx: Db,
  { org_id, target_id, job_id }: Job & { target_id: string },
  last_error: string,
  { clock, random }: AttemptParts,
): Promise<Breaker | undefined> {
  const before = await lockBreaker(tx, org_id, target_id)
  const is_probe = before?.probe_job_id === job_id
  const after = decideBreaker(before, { is_reached: false, is_probe, at: clock.now(), jitter: random() })
  assert(after, 'a failure leaves a breaker')
  await saveBreaker(tx, org_id, target_id, { ...after, last_error: toStorable(last_error) ?? '' })
  return before?.paused_until || !after.paused_until ? undefined : after
}

// The evaluation loop: processes pending evaluations shortly after they are requested, expires allow-list entries and
// decisions, and detects stale environments. Pending evaluations are rows that stay until the evaluating transaction
// commits, so that several processes may evaluate, and a killed one loses nothing. Processes do not wait for each
// other: if one has locked an environment, the others leave it alone.
import type { Database } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { type Tracer, trace } from '../lib/tracing.ts'
import type { WorkCounters } from '../lib/work-counters.ts'
import type { EvaluationTools } from './evaluate-artifacts.ts'
import { evaluatePending, expireEntry } from './evaluate-environment.ts'
import { expireDecisions } from './expire-decisions.ts'
import { listOrgsWithExpired } from './expiring-decisions-store.ts'
import { findLockedOrgs } from './org-lock-store.ts'
import { listExpiredEntries, listPendingEnvironments } from './pending-store.ts'
import { recordStale } from './staleness.ts'
import { listNewlyStale } from './staleness-store.ts'

const EVERY_MS = 100
/** The loop counts as stalled after this long without a round. */
const STALL_MS = 30_000
/** Changes that arrive together are evaluated together and make one snapshot. */
const SETTLE_MS = 200
/** New requests of others get their turn after this many environments of one sponsor. */
const MOST_PER_SPONSOR = 8
const EXPIRY_EVERY_MS = 1_000
/** Then environments that were left out get another chance, and expiries their turn, however much is pending. */
const ROUND_MS = 1_000
/** Wait after a failed evaluation of an environment; doubles with each further failure. */
const RETRY_MS = 1_000
const MAX_RETRY_MS = 60_000

const EVALUATION = { name: 'evaluate environment', kind: 'internal' } as const

export interface EvaluationParts extends EvaluationTools {
  db: Database
  clock: Clock
  log: Log
  work: WorkCounters
  tracer?: Tracer | undefined
  /** Evaluates only this organization, which the caller has locked; by default all unlocked ones. */
  locked_org_id?: string
}

export interface EvaluationLoop {
  isHealthy(): boolean
  stop(): Promise<void>
}

export function startEvaluationLoop(parts: EvaluationParts): EvaluationLoop {
  const { clock, log } = parts
  let stopping = false
  let last_round_ms = clock.monotonic_ms()
  const round = makeRound(parts, () => {
    last_round_ms = clock.monotonic_ms()
    return !stopping
  })
  let wake: () => void = () => undefined
  async function runLoop(): Promise<void> {
    while (!stopping) {
      // A round that fails does not count: a loop that only fails is stalled.
      const may_be_more = await round().then(
        more => {
          last_round_ms = clock.monotonic_ms()
          return more
        },
        error => {
          log.warn({ err: error }, 'environments will be evaluated later')
          return false
        },
      )
      if (stopping) return
      if (may_be_more) continue
      await new Promise<void>(resolve => {
        wake = resolve
        setTimeout(resolve, EVERY_MS).unref()
      })
    }
  }
  const running = runLoop()
  return {
    isHealthy: () => clock.monotonic_ms() - last_round_ms < STALL_MS,
    stop: async () => {
      stopping = true
      wake()
      await running
    },
  }
}

interface Failure {
  times: number
  again_ms: number
}

/**
 * Processes what is pending, then what has expired. Returns whether more may be pending. `mayGoOn` is called before
 * each batch of environments.
 */
export function makeRound(parts: EvaluationParts, mayGoOn = () => true): () => Promise<boolean> {
  const { clock } = parts
  const attempt = makeAttempt(parts)
  const handleExpired = makeExpiries(parts, attempt)
  return async () => {
    const began_ms = clock.monotonic_ms()
    const left: string[] = []
    let may_be_more = true
    while (may_be_more && mayGoOn() && clock.monotonic_ms() - began_ms < ROUND_MS) {
      may_be_more = await evaluateBatch(parts, attempt, left)
    }
    await handleExpired()
    return may_be_more
  }
}

/** False if the work failed, or says so, or failed shortly before. */
type Attempt = (key: string, evaluate: () => Promise<unknown>) => Promise<boolean>

function makeAttempt({ clock, log, work, tracer }: EvaluationParts): Attempt {
  const failures = new Map<string, Failure>()
  return async (key, evaluate) => {
    const failed = failures.get(key)
    if (failed && failed.again_ms > clock.monotonic_ms()) return false
    try {
      const result = await trace(tracer, EVALUATION, evaluate)
      work.evaluations += 1
      failures.delete(key)
      return result !== false
    } catch (error) {
      work.failed_evaluations += 1
      const times = (failed?.times ?? 0) + 1
      const wait_ms = Math.min(RETRY_MS * 2 ** (times - 1), MAX_RETRY_MS)
      failures.set(key, { times, again_ms: clock.monotonic_ms() + wait_ms })
      // The pending evaluation is still stored and will be retried.
      log.warn({ err: error, key, times }, 'an environment could not be evaluated')
      return false
    }
  }
}

/** Evaluates some environments of each sponsor. Adds those that stay pending to `left`. */
async function evaluateBatch(parts: EvaluationParts, attempt: Attempt, left: string[]): Promise<boolean> {
  const { db, clock } = parts
  const now = clock.now()
  const before = new Date(now.getTime() - SETTLE_MS)
  const most_per_sponsor = MOST_PER_SPONSOR
  const batch = await listPendingEnvironments(db, { before, except: left, most_per_sponsor })
  const done = new Set<string>()
  for (const pending of await filterOwned(parts, batch)) {
    const { environment_id } = pending
    const isTaken = await attempt(environment_id, () => evaluatePending(db, parts, now, pending))
    if (isTaken) done.add(environment_id)
  }
  left.push(...batch.map(({ environment_id }) => environment_id).filter(id => !done.has(id)))
  return batch.length > 0
}

/** Looks for what has expired once a second. */
function makeExpiries(parts: EvaluationParts, attempt: Attempt): () => Promise<void> {
  const { db, ids, clock } = parts
  let looked_ms = Number.NEGATIVE_INFINITY
  return async () => {
    const now = clock.now()
    if (clock.monotonic_ms() - looked_ms < EXPIRY_EVERY_MS) return
    looked_ms = clock.monotonic_ms()
    for (const entry of await filterOwned(parts, await listExpiredEntries(db, now))) {
      await attempt(entry.entry_id, () => expireEntry(db, parts, now, entry))
    }
    for (const { org_id } of await filterOwned(parts, await listOrgsWithExpired(db, now))) {
      await attempt(`expired decisions of ${org_id}`, () => expireDecisions(db, parts, now, org_id))
    }
    for (const silent of await filterOwned(parts, await listNewlyStale(db, now))) {
      await attempt(`staleness of ${silent.environment_id}`, () => recordStale(db, ids, now, silent))
    }
  }
}

async function filterOwned<T extends { org_id: string }>(
  { db, locked_org_id }: EvaluationParts,
  found: readonly T[],
): Promise<readonly T[]> {
  if (locked_org_id !== undefined) return found.filter(({ org_id }) => org_id === locked_org_id)
  const locked = await findLockedOrgs(
    db,
    found.map(({ org_id }) => org_id),
  )
  return found.filter(({ org_id }) => !locked.has(org_id))
}

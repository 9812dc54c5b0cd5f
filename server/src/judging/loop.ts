// Judges marked environments soon after they were marked, ends what has expired, and notices who fell silent. Marks are rows that stay until the
// transaction that judges is committed, so that several processes may judge, and a killed one leaves nothing undone.
import type { Database } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import type { Ids } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { heldOrgs } from './hold-store.ts'
import { expireEntry, judgePending } from './judge.ts'
import { expiredEntries, pendingEnvironments } from './marks-store.ts'
import { noticeSilence } from './silence.ts'
import { countStale, silentEnvironments } from './silence-store.ts'

const EVERY_MS = 100
/** Without a round for this long, the judge counts as stuck. */
const STALL_MS = 30_000
/** What arrives together is judged together, and makes one snapshot. */
const SETTLE_MS = 200
const EXPIRY_EVERY_MS = 1_000
/** After a failure the environment waits this long, and twice as long each time after. */
const RETRY_MS = 1_000
const MOST_RETRY_MS = 60_000

export interface JudgingParts {
  db: Database
  ids: Ids
  clock: Clock
  log: Log
  /** Judges the organization that it holds and no other; without one, those that nobody holds. */
  holds?: string
  /** Hears how many environments are stale. */
  onStale?(count: number): void
}

export interface JudgingLoop {
  isWell(): boolean
  stop(): Promise<void>
}

export function startJudging(parts: JudgingParts): JudgingLoop {
  const { clock, log } = parts
  const round = makeRounds(parts)
  let stopping = false
  let last_round_ms = clock.monotonic_ms()
  let wake: () => void = () => undefined
  async function loop(): Promise<void> {
    while (!stopping) {
      await round().catch(error => log.warn({ err: error }, 'environments will be judged later'))
      last_round_ms = clock.monotonic_ms()
      if (stopping) return
      await new Promise<void>(resolve => {
        wake = resolve
        setTimeout(resolve, EVERY_MS).unref()
      })
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

interface Failed {
  times: number
  again_ms: number
}

/** One look at what is marked and what has expired. */
export function makeRounds({ db, ids, clock, log, holds, onStale }: JudgingParts): () => Promise<void> {
  const failures = new Map<string, Failed>()
  let expiry_looked_ms = Number.NEGATIVE_INFINITY

  async function attempt(key: string, work: () => Promise<void>): Promise<void> {
    const failed = failures.get(key)
    if (failed && failed.again_ms > clock.monotonic_ms()) return
    try {
      await work()
      failures.delete(key)
    } catch (error) {
      const times = (failed?.times ?? 0) + 1
      const wait_ms = Math.min(RETRY_MS * 2 ** (times - 1), MOST_RETRY_MS)
      failures.set(key, { times, again_ms: clock.monotonic_ms() + wait_ms })
      // The mark is still there: it is tried again.
      log.warn({ err: error, key, times }, 'an environment could not be judged')
    }
  }

  async function ours<T extends { org_id: string }>(found: readonly T[]): Promise<readonly T[]> {
    if (holds !== undefined) return found.filter(({ org_id }) => org_id === holds)
    const held = await heldOrgs(
      db,
      found.map(({ org_id }) => org_id),
    )
    return found.filter(({ org_id }) => !held.has(org_id))
  }

  return async () => {
    const now = clock.now()
    const settled = new Date(now.getTime() - SETTLE_MS)
    for (const marked of await ours(await pendingEnvironments(db, settled))) {
      await attempt(marked.environment_id, () => judgePending(db, ids, now, marked))
    }
    if (clock.monotonic_ms() - expiry_looked_ms < EXPIRY_EVERY_MS) return
    expiry_looked_ms = clock.monotonic_ms()
    for (const entry of await ours(await expiredEntries(db, now))) {
      await attempt(entry.entry_id, () => expireEntry(db, ids, now, entry))
    }
    for (const silent of await ours(await silentEnvironments(db, now))) {
      await attempt(`silence of ${silent.environment_id}`, () => noticeSilence(db, ids, now, silent))
    }
    onStale?.(await countStale(db, now))
  }
}

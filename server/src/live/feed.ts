// Follows the logs of organizations for all streams of this process: one statement finds the logs that have grown,
// and only their new leaves are read. It polls instead of listening: a notification in every write would make the
// commits of all organizations wait for each other, and poolers forget LISTEN (docs/adr/0045).
import type { Database } from '../db/database.ts'
import type { Head } from '../domain/live/position.ts'
import type { Clock } from '../lib/clock.ts'
import { OrgMoved } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { type LoggedChange, readChanges, readHeads, readUnlogged, type Unlogged } from './store.ts'

/** The most leaves that are sent one by one; a reader further behind starts anew. */
export const MOST_BEHIND = 1_000
/** A transaction may commit this long after it took its time. */
const OVERLAP_MS = 10_000
const MOST_DELIVERIES = 1_000
/** Unlogged reports and deliveries are read every second round. */
const UNLOGGED_EVERY = 2

/** The head of a log without any leaves. */
const EMPTY: Head = { epoch: 1, size: 0 }

/** A change that no log records. */
interface UnloggedChange {
  kind: 'environment_reported' | 'delivery_finished'
  environment: string | null
}

export interface Follower {
  /** Called in log order, without a gap, from the head that `follow` returned. */
  onChanges(changes: readonly LoggedChange[]): void
  onUnlogged(change: UnloggedChange): void
  /** The log was replaced, or has grown by more than is sent. */
  onReset(head: Head): void
  /** This process no longer serves the organization. */
  onMoved(): void
}

export interface Feed {
  /** Resolves with the head after which the follower gets changes. */
  follow(org_id: string, follower: Follower): Promise<Head>
  unfollow(org_id: string, follower: Follower): void
  stop(): Promise<void>
}

export interface FeedParts {
  db: Database
  clock: Clock
  log: Log
  poll_ms: number
}

interface FollowedOrg {
  head: Head
  followers: Set<Follower>
}

export function makeFeed(parts: FeedParts): Feed {
  const { db, log, poll_ms } = parts
  const orgs = new Map<string, FollowedOrg>()
  const unlogged = makeUnloggedWatch(parts, orgs)
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let isStopped = false
  let isFailing = false
  let rounds = 0

  async function runRound(): Promise<void> {
    rounds += 1
    const heads = await readHeads(db, [...orgs.keys()])
    for (const head of heads) {
      const org = orgs.get(head.org_id)
      if (org) await advance(db, head.org_id, org, head)
    }
    if (rounds % UNLOGGED_EVERY === 0) await unlogged.look()
  }

  function schedule(): void {
    if (isStopped || timer || orgs.size === 0) return
    timer = setTimeout(() => {
      running = runRound()
        .then(
          () => {
            isFailing = false
          },
          error => {
            // Nothing is lost: the next round starts where the last successful one ended.
            if (!isFailing) log.warn({ err: error }, 'changes will reach open pages late')
            isFailing = true
          },
        )
        .finally(() => {
          timer = undefined
          schedule()
        })
    }, poll_ms).unref()
  }

  return {
    follow: async (org_id, follower) => {
      if (!orgs.has(org_id)) {
        const [head = EMPTY] = await readHeads(db, [org_id])
        await unlogged.begin(org_id)
        // Another follower may have joined meanwhile: then its head counts.
        if (!orgs.has(org_id)) orgs.set(org_id, { head, followers: new Set() })
      }
      const org = orgs.get(org_id) ?? { head: EMPTY, followers: new Set() }
      orgs.set(org_id, org)
      org.followers.add(follower)
      schedule()
      return org.head
    },
    unfollow: (org_id, follower) => {
      const org = orgs.get(org_id)
      org?.followers.delete(follower)
      if (org?.followers.size === 0) orgs.delete(org_id)
    },
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}

async function advance(db: Database, org_id: string, org: FollowedOrg, { epoch, size }: Head): Promise<void> {
  if (epoch !== org.head.epoch || size < org.head.size || size - org.head.size > MOST_BEHIND) {
    org.head = { epoch, size }
    for (const follower of org.followers) follower.onReset(org.head)
    return
  }
  if (size === org.head.size) return
  const from = org.head.size
  try {
    const changes = await readChanges(db, org_id, { epoch, from, limit: size - from })
    org.head = { epoch, size: from + changes.length }
    for (const follower of org.followers) follower.onChanges(changes)
  } catch (error) {
    if (!(error instanceof OrgMoved)) throw error
    for (const follower of org.followers) follower.onMoved()
  }
}

interface UnloggedWatch {
  /** Notes what exists, so that only later changes are reported. */
  begin(org_id: string): Promise<void>
  /** Reports everything that did not exist at the last look. */
  look(): Promise<void>
}

function makeUnloggedWatch({ db, clock }: FeedParts, orgs: Map<string, FollowedOrg>): UnloggedWatch {
  /** For each organization, the ids that existed at the last look. */
  const seen = new Map<string, ReadonlySet<string>>()
  const read = async (org_ids: readonly string[]) => {
    const since = new Date(clock.now().getTime() - OVERLAP_MS)
    const { reports, deliveries } = await readUnlogged(db, org_ids, since, MOST_DELIVERIES)
    return [...reports.map(toReport), ...deliveries.map(toDelivery)]
  }
  const remember = (org_id: string, found: readonly Found[]) =>
    seen.set(org_id, new Set(found.filter(each => each.org_id === org_id).map(({ id }) => id)))
  return {
    begin: async org_id => void remember(org_id, await read([org_id])),
    look: async () => {
      const org_ids = [...orgs.keys()]
      const found = await read(org_ids)
      for (const { org_id, id, change } of found) {
        if (seen.get(org_id)?.has(id) ?? true) continue
        for (const follower of orgs.get(org_id)?.followers ?? []) follower.onUnlogged(change)
      }
      for (const org_id of org_ids) remember(org_id, found)
      for (const org_id of seen.keys()) if (!orgs.has(org_id)) seen.delete(org_id)
    },
  }
}

interface Found {
  org_id: string
  id: string
  change: UnloggedChange
}

function toReport({ org_id, environment, reported_at }: Unlogged['reports'][number]): Found {
  const change = { kind: 'environment_reported', environment } as const
  return { org_id, id: `${reported_at?.getTime()} ${environment}`, change }
}

function toDelivery({ org_id, job_id }: Unlogged['deliveries'][number]): Found {
  return { org_id, id: job_id, change: { kind: 'delivery_finished', environment: null } }
}

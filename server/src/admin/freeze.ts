// `admin org freeze` and `thaw`: a frozen org can be read but not changed, so that a copy of it stays accurate.
// Freezing returns only when no earlier transaction can still commit a change (docs/adr/0026-cells.md).
import type pg from 'pg'
import { makeOwnerDb, withOwnerTransaction } from '../db/owner.ts'
import type { Clock } from '../lib/clock.ts'
import type { Ids } from '../lib/ids.ts'
import { AdminProblem, recordOwnChange } from './actor.ts'
import {
  countLeasedJobs,
  type FreezeState,
  findFreezeState,
  listOpenTransactions,
  listStillOpen,
  putFreeze,
  removeFreeze,
  setMovedTo,
} from './freeze-store.ts'

const POLL_MS = 50
/** A lease lasts 20 seconds. A message whose result is not recorded is sent again, with the same id. */
const MAX_DRAIN_POLLS = 30_000 / POLL_MS
/** Longer than the service's sessions may keep a transaction open. */
const MAX_WAIT_POLLS = 60_000 / POLL_MS

export interface FreezeTools {
  owner: pg.Client
  clock: Clock
  ids: Ids
}

/** Returns one line for each step. */
export async function freezeOrg(tools: FreezeTools, name: string, reason: string): Promise<string[]> {
  const { owner, clock } = tools
  const org = await requireSharedOrg(owner, name)
  if (org.is_draining === false) return [`organization ${org.name} is frozen already`]
  const { org_id } = org
  await putFreeze(makeOwnerDb(owner), { org_id, reason, is_draining: true, now: clock.now() })
  await poll(
    MAX_DRAIN_POLLS,
    async () => (await countLeasedJobs(makeOwnerDb(owner), org_id, clock.now())) === 0,
  )
  await withOwnerTransaction(owner, async tx => {
    await putFreeze(tx, { org_id, reason, is_draining: false, now: clock.now() })
    await recordOwnChange({ ...tools, tx, now: clock.now() }, org_id, 'org_frozen', { org: org.name, reason })
  })
  const pids = await waitForTransactions(owner)
  if (pids.length > 0) {
    await thawOrg(tools, name)
    throw new AdminProblem(
      `The organization ${org.name} is not frozen: other sessions keep transactions open, such as a backup ` +
        `(process ${pids.join(', ')} of PostgreSQL); wait for them or end them, and freeze it again`,
    )
  }
  return [`froze organization ${org.name}: it can be read, and changes get 503 with Retry-After`]
}

export async function thawOrg(tools: FreezeTools, name: string): Promise<string[]> {
  const { owner, clock } = tools
  return withOwnerTransaction(owner, async tx => {
    const org = await findFreezeState(tx, name)
    if (!org) throw new AdminProblem(`There is no organization ${name}`)
    if (!org.frozen_at) return [`organization ${org.name} is not frozen`]
    await removeFreeze(tx, org.org_id)
    await recordOwnChange({ ...tools, tx, now: clock.now() }, org.org_id, 'org_thawed', { org: org.name })
    return [`thawed organization ${org.name}: it accepts changes`]
  })
}

/** From now on this cell neither reads nor changes the org, so that nobody gets an old state. */
export async function markMoved(tools: FreezeTools, name: string, moved_to: string): Promise<string[]> {
  const org = await requireFrozen(tools.owner, name)
  await setMovedTo(makeOwnerDb(tools.owner), org.org_id, moved_to)
  return [
    `organization ${org.name} has moved to ${moved_to}: this cell answers 503 for it until it is thawed`,
  ]
}

export async function requireFrozen(owner: pg.Client, name: string): Promise<FreezeState> {
  const org = await findFreezeState(makeOwnerDb(owner), name)
  if (!org) throw new AdminProblem(`There is no organization ${name}`)
  if (org.is_draining !== false) {
    throw new AdminProblem(
      `The organization ${org.name} is not frozen; use admin org freeze ${org.name} first`,
    )
  }
  return org
}

async function requireSharedOrg(owner: pg.Client, name: string): Promise<FreezeState> {
  const org = await findFreezeState(makeOwnerDb(owner), name)
  if (!org) throw new AdminProblem(`There is no organization ${name}`)
  if (org.kind !== 'shared') {
    throw new AdminProblem(`${org.name} is a personal organization; it stays in the cell of its user`)
  }
  return org
}

/**
 * Transactions that began before the freeze was committed may not have seen it. Returns the sessions of those that
 * did not end in time. Later transactions see it, because a transaction has its virtual id before it reads anything.
 */
async function waitForTransactions(owner: pg.Client): Promise<number[]> {
  const db = makeOwnerDb(owner)
  const before = (await listOpenTransactions(db)).map(({ virtual_id }) => virtual_id)
  let open: number[] = []
  await poll(MAX_WAIT_POLLS, async () => {
    open = await listStillOpen(db, before)
    return open.length === 0
  })
  return open
}

async function poll(most: number, isDone: () => Promise<boolean>): Promise<void> {
  for (let tried = 0; tried < most; tried++) {
    if (await isDone()) return
    await new Promise(resolve => setTimeout(resolve, POLL_MS))
  }
}

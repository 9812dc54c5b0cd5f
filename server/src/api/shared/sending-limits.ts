// How many mails people can make the service send: nobody may use it to flood others. Counted in the database, in the
// transaction that sends: all processes count together, and what is refused is not counted.
import { createHash } from 'node:crypto'
import type { Db } from '../../db/database.ts'
import { AppError } from '../../lib/errors.ts'
import { incrementCounts } from './sending-limits-store.ts'

const WINDOW_MS = 3_600_000
const TESTS_OF_ORG = 200
const TESTS_OF_CALLER = 100
const INVITATIONS_OF_ORG = 200
const INVITATIONS_OF_CALLER = 100
const INVITATIONS_TO_ADDRESS = 5

export interface Sender {
  org: { org_id: string }
  caller: { id: string }
  now: Date
}

/** A mail counts as one, and so does a webhook. One test may be larger than the limit, if it is the first in an hour. */
export function checkTestLimit(tx: Db, sender: Sender, messages: number): Promise<void> {
  const limits = { org: TESTS_OF_ORG, [toCallerKey(sender)]: TESTS_OF_CALLER }
  return checkLimit(tx, sender, { what: 'test', limits, cost: Math.max(1, messages) })
}

/** Sent for the first time or again. */
export function checkInvitationLimit(tx: Db, sender: Sender, email: string): Promise<void> {
  const sha256 = createHash('sha256').update(email.toLowerCase()).digest('hex')
  const limits = {
    org: INVITATIONS_OF_ORG,
    [toCallerKey(sender)]: INVITATIONS_OF_CALLER,
    [`address:${sha256}`]: INVITATIONS_TO_ADDRESS,
  }
  return checkLimit(tx, sender, { what: 'invitation', limits, cost: 1 })
}

const toCallerKey = ({ caller }: Sender) => `caller:${caller.id}`

interface LimitCheck {
  what: 'test' | 'invitation'
  limits: Record<string, number>
  cost: number
}

async function checkLimit(tx: Db, { org, now }: Sender, { what, limits, cost }: LimitCheck): Promise<void> {
  const counts = Object.entries(limits).map(([who, most]) => ({ who, most }))
  const since = new Date(now.getTime() - WINDOW_MS)
  const counted = await incrementCounts(tx, { org_id: org.org_id, what, counts, cost, now, since })
  for (const { who, most, used, began_at } of counted) {
    if (used <= most || used === cost) continue
    const wait_s = Math.max(1, Math.ceil((began_at.getTime() - since.getTime()) / 1000))
    throw tooMany(what, who, most, wait_s)
  }
}

/** Thrown, so that nothing of it is counted. */
function tooMany(what: LimitCheck['what'], who: string, most: number, wait_s: number): AppError {
  const named = what === 'test' ? 'messages of tests' : 'invitations'
  const whose = { org: 'for an organization', caller: 'for a caller', address: 'to an address' }
  const kind = who.split(':', 1)[0] as keyof typeof whose
  const message = `Too many ${named}: at most ${most} an hour ${whose[kind]}`
  return new AppError(429, message, undefined, { 'retry-after': String(wait_s) })
}

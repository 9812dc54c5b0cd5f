// Limits the messages that callers can make the service send, so nobody can use it to flood others. They are counted in
// the transaction that sends them: all processes share the counts, and rejected requests do not count.
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

/** Every mail and every webhook counts as one. The first test in an hour may exceed the limit. */
export function checkTestLimit(tx: Db, sender: Sender, messages: number): Promise<void> {
  const limits = { org: TESTS_OF_ORG, [toCallerKey(sender)]: TESTS_OF_CALLER }
  return checkLimit(tx, sender, { what: 'test', limits, cost: Math.max(1, messages) })
}

/** Counts first invitations and those sent again. */
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
  const counts = Object.entries(limits).map(([who, max]) => ({ who, max }))
  const since = new Date(now.getTime() - WINDOW_MS)
  const counted = await incrementCounts(tx, { org_id: org.org_id, what, counts, cost, now, since })
  for (const { who, max, used, began_at } of counted) {
    if (used <= max || used === cost) continue
    const wait_s = Math.max(1, Math.ceil((began_at.getTime() - since.getTime()) / 1000))
    throw tooMany(what, who, max, wait_s)
  }
}

/** Throwing it rolls back the counts. */
function tooMany(what: LimitCheck['what'], who: string, max: number, wait_s: number): AppError {
  const messages = what === 'test' ? 'test messages' : 'invitations'
  const scopes = { org: 'per organization', caller: 'per caller', address: 'per address' }
  const scope = who.split(':', 1)[0] as keyof typeof scopes
  const message = `Too many ${messages}: at most ${max} an hour ${scopes[scope]}`
  return new AppError(429, message, undefined, { 'retry-after': String(wait_s) })
}

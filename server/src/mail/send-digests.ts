// Regularly sends the digests that are due, and forgets recipients who got nothing lately. Several workers may do this at
// once: each takes other recipients.
import type { Database } from '../db/database.ts'
import { assert } from '../lib/assert.ts'
import type { Clock } from '../lib/clock.ts'
import { groupBy } from '../lib/group-by.ts'
import type { Log } from '../lib/log.ts'
import type { Sealer } from '../lib/sealer.ts'
import { buildDigestMail, type DigestOfOrg } from './digest-mail.ts'
import type { Mail, Mailer } from './mailer.ts'
import { NO_ORG } from './queue.ts'
import { forgetIdleRecipients, type TakenMail, takeDueRecipients, takeHeldMails } from './recipients-store.ts'
import { HELD_PURPOSE, type HeldLine, MOST_LINES } from './send-limited.ts'

const EVERY_MS = 60_000
const DIGESTS_AT_ONCE = 50
const FORGOTTEN_AT_ONCE = 1_000

export interface DigestParts {
  db: Database
  clock: Clock
  log: Log
  sealer: Sealer
  mailer: Mailer
  /** The parser for untrusted JSON. */
  parseJson(bytes: Buffer, field: string): unknown
}

/** Returns a function that stops it. */
export function startSendingDigests(parts: DigestParts): () => void {
  const timer = setInterval(() => void sendDigestsOnce(parts), EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}

export async function sendDigestsOnce(parts: DigestParts): Promise<void> {
  const { db, clock, log } = parts
  try {
    while ((await queueDigests(parts)) === DIGESTS_AT_ONCE);
    while ((await forgetIdleRecipients(db, clock.now(), FORGOTTEN_AT_ONCE)) === FORGOTTEN_AT_ONCE);
  } catch (error) {
    // The next round finds them.
    log.warn({ err: error }, 'digests of held mails could not be sent')
  }
}

/** What is held, and the mail that lists it, change places in one transaction. */
function queueDigests(parts: DigestParts): Promise<number> {
  const { db, clock, mailer } = parts
  const now = clock.now()
  return db.withTransaction({ worker: true }, async tx => {
    const recipients = await takeDueRecipients(tx, now, DIGESTS_AT_ONCE)
    const held = await takeHeldMails(tx, recipients)
    for (const mails of groupBy(held, ({ address_hash }) => address_hash).values()) {
      const digest = buildDigest(parts, mails)
      if (digest) await mailer.queue(tx, NO_ORG, now, digest)
    }
    return recipients.length
  })
}

/** Undefined if nothing can be opened, because the operator has replaced the key that sealed it. */
function buildDigest({ sealer, parseJson }: DigestParts, mails: readonly TakenMail[]): Mail | undefined {
  const lines = mails
    .toSorted((a, b) => a.place - b.place)
    .flatMap(({ sealed, ...mail }) => {
      const opened = sealer.open(HELD_PURPOSE, sealed)
      if (opened === undefined) return []
      return [{ ...mail, line: parseJson(Buffer.from(opened), 'held mail') as HeldLine }]
    })
  const [first] = lines
  if (!first) return undefined
  const orgs = [...groupBy(lines, ({ sender_id }) => sender_id).values()].map((of_org): DigestOfOrg => {
    const [one] = of_org
    assert(one, 'a group has a member')
    const listed = of_org.filter(({ place }) => place <= MOST_LINES)
    const messages = of_org.reduce((sum, mail) => sum + mail.messages, 0)
    return { org: one.line.org, lines: listed.map(({ line }) => line), more: messages - listed.length }
  })
  return buildDigestMail(first.line.to, orgs)
}

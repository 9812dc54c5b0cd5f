// Sends mails within the limits of their recipients: mail of an organization beyond the limit is held back for the daily
// digest, and none goes to an address whose reader has stopped it.
import type { Database } from '../db/database.ts'
import { computeMostMails, decideMail } from '../domain/mail-limit.ts'
import type { Clock } from '../lib/clock.ts'
import { escapeHtml } from '../lib/html.ts'
import type { Sealer } from '../lib/sealer.ts'
import type { FromOrg, Mail } from './mailer.ts'
import { buildStopUrl, hashAddress } from './recipients.ts'
import { countMail, findStop, holdMail, uncountMail } from './recipients-store.ts'
import type { SendMail, Sent } from './send.ts'

/** The purpose for which the lines of a digest are sealed. */
export const HELD_PURPOSE = 'held mail'
/** Of one organization in one digest. */
export const MOST_LINES = 20

export interface LimitParts {
  db: Database
  clock: Clock
  sealer: Sealer
  base_url: string
  /** Mails of organizations to one address in a day; null for no limit. */
  mails_per_address: number | null
  sendMail: SendMail
}

interface MailJobId {
  org_id: string
  message_id: string
}

/** A suppressed mail was not sent: `stopped` for good, or `held` for the digest. */
export interface LimitedSent extends Sent {
  suppressed: 'stopped' | 'held' | null
}

export type SendLimited = (id: MailJobId, mail: Mail) => Promise<LimitedSent>

/** What a digest says about a mail. */
export interface HeldLine {
  to: string
  org: string
  subject: string
  link: string
}

export function makeSendLimited(parts: LimitParts): SendLimited {
  const { sealer, base_url, sendMail } = parts
  return async ({ org_id, message_id }, mail) => {
    const { from_org } = mail
    if (!from_org) return { ...(await sendMail(message_id, mail)), suppressed: null }
    const address_hash = hashAddress(sealer, mail.to)
    const send = () => sendMail(message_id, addStopLink(mail, buildStopUrl(sealer, base_url, address_hash)))
    return from_org.kind === 'organization'
      ? sendCounted(parts, { org_id, address_hash, mail, from_org, send })
      : sendUnlessStopped(parts, { address_hash, from_org, send })
  }
}

interface Sending {
  address_hash: string
  from_org: FromOrg
  send(): Promise<Sent>
}

async function sendCounted(
  { db, clock, sealer, mails_per_address }: LimitParts,
  { org_id, address_hash, mail, from_org, send }: Sending & { org_id: string; mail: Mail },
): Promise<LimitedSent> {
  const { to, subject } = mail
  const counted = await countMail(db, { org_id, address_hash, email: to, now: clock.now() })
  const { is_member } = counted
  const most = computeMostMails(mails_per_address, is_member)
  const decision = decideMail(from_org.kind, { ...counted, most })
  const result = decision === 'send' ? await send() : undefined
  if (result?.error === null) return { ...result, suppressed: null }
  await uncountMail(db, { address_hash, is_member })
  if (result) return { ...result, suppressed: null }
  if (decision === 'stop') return buildSuppressed('stopped')
  const line: HeldLine = { to, org: from_org.name, subject, link: from_org.link }
  const sealed = sealer.seal(HELD_PURPOSE, JSON.stringify(line))
  await holdMail(db, { address_hash, sender_id: org_id, sealed, most_lines: MOST_LINES })
  return buildSuppressed('held')
}

async function sendUnlessStopped(
  { db }: LimitParts,
  { address_hash, from_org, send }: Sending,
): Promise<LimitedSent> {
  const stopped_at = await db.withTransaction({ key_hash: address_hash }, tx => findStop(tx, address_hash))
  const decision = decideMail(from_org.kind, { is_stopped: stopped_at !== null, sent: 0, most: null })
  return decision === 'send' ? { ...(await send()), suppressed: null } : buildSuppressed('stopped')
}

const buildSuppressed = (suppressed: 'stopped' | 'held'): LimitedSent => ({
  error: null,
  status: null,
  answer: null,
  suppressed,
})

const STOP_LABEL = 'Stop all mail from this service to this address'

/** For readers at the end, and for mail programs in the headers. */
function addStopLink(mail: Mail, stop_url: string) {
  const { to, subject, text, html } = mail
  const end = html.lastIndexOf('</body>')
  // In the column of a page that has one.
  const column = end < 0 ? '' : 'max-width:640px;margin:16px auto 0;'
  const link = `<p style="${column}font-size:13px"><a href="${escapeHtml(stop_url)}" style="color:inherit">${STOP_LABEL}</a></p>\n`
  const [start, rest] = end < 0 ? [html, ''] : [html.slice(0, end), html.slice(end)]
  return {
    to,
    subject,
    text: `${text.trimEnd()}\n\n${STOP_LABEL}: ${stop_url}\n`,
    html: start + link + rest,
    stop_url,
  }
}

// Single-use sign-in links. A mailed link works for ten minutes in the browser that requested it; the link printed at
// the first start works for a day in any browser. Viewing a link does not use it up: redeeming is a separate step.

import { toNetwork } from '@waybill/egress'
import type { Deps } from '../api/operation.ts'
import type { Db } from '../db/database.ts'
import { mayUseLinks } from '../domain/single-sign-on.ts'
import { escapeHtml } from '../lib/html.ts'
import { hashSecret, parseTokenKind, type Secrets } from '../lib/secrets.ts'
import type { Mail } from '../mail/mailer.ts'
import { NO_ORG } from '../mail/queue.ts'
import { type Failure, recordFailure } from './failures.ts'
import { FRONT_PAGE } from './next-path.ts'
import { type SessionDeps, type StartedSession, startSession, type Visitor } from './session.ts'
import {
  type FoundLink,
  findAddressee,
  findLink,
  lockPerson,
  type MailedLink,
  saveAttempt,
  saveHandedLink,
  saveMailedLink,
  saveOpenedLink,
  takeLink,
} from './store.ts'

const MINUTE_MS = 60_000
export const MAILED_LINK_MS = 10 * MINUTE_MS
const HANDED_LINK_MS = 24 * 60 * MINUTE_MS
/** A second click within this time counts as the same request, so that only one mail is sent. */
const SAME_REQUEST_MS = MINUTE_MS
/**
 * Limits per person in ten minutes, from one network and from all, so that nobody can flood a mailbox or use up
 * another person's links.
 */
const MAX_PER_NETWORK = 10
const MAX_PER_PERSON = 30
const NOBODY = '00000000-0000-0000-0000-000000000000'

export interface LinkRequest {
  email: string
  browser: string
  /** The network address of the client. */
  address: string
  next_path: string
  now: Date
}

type LinkDeps = Pick<Deps, 'db' | 'ids' | 'secrets' | 'mailer' | 'base_url' | 'sso'>

/** Returns nothing: neither the response nor its duration may reveal whether the address is known. */
export async function requestLink(deps: LinkDeps, request: LinkRequest): Promise<void> {
  const { secrets, mailer, base_url } = deps
  const { browser, next_path, now } = request
  const known = await findAddressee(deps.db, request.email)
  const found = known && mayUseLinks(deps.sso, known.name) ? known : undefined
  const { user_id = NOBODY, email = null } = found ?? {}
  const org_id = found?.org_id ?? NO_ORG
  const { key: token, secret_hash } = secrets.createToken('link')
  const link = {
    token_hash: secret_hash,
    user_id,
    browser_hash: hashSecret(browser),
    next_path,
    now,
    expires_at: addMs(now, MAILED_LINK_MS),
    same_since: addMs(now, -SAME_REQUEST_MS),
    counted_since: addMs(now, -MAILED_LINK_MS),
    asker: toNetwork(request.address),
    sent_to: email,
    max_per_network: MAX_PER_NETWORK,
    max_per_person: MAX_PER_PERSON,
  }
  await deps.db.withTransaction({ signin: true, org_id }, async tx => {
    await lockPerson(tx, user_id)
    const isMade = await saveMailedLink(tx, link)
    // Sent to the stored address, never to the typed one: the two may only look alike.
    if (isMade && email !== null)
      await mailer.queue(tx, org_id, now, buildLinkMail(email, buildLinkUrl(base_url, token)))
    else await writeDummyAttempt(tx, link)
  })
}

/** Inserts a row that is already expired, so that the commit costs the same as for a known address. */
async function writeDummyAttempt(tx: Db, { token_hash, browser_hash, now }: MailedLink): Promise<void> {
  await saveAttempt(tx, {
    state_hash: token_hash,
    browser_hash,
    provider: '',
    sealed: '',
    next_path: FRONT_PAGE,
    now,
    expires_at: now,
  })
}

/** The URL that is mailed or printed. */
export function buildLinkUrl(base_url: string, token: string): string {
  return `${base_url}/auth/link?token=${token}`
}

/** For the first start. Call it in the transaction that creates the user. */
export async function createHandedLink(
  tx: Db,
  secrets: Secrets,
  { user_id, now }: { user_id: string; now: Date },
): Promise<string> {
  const { key: token, secret_hash } = secrets.createToken('link')
  await saveHandedLink(tx, {
    token_hash: secret_hash,
    user_id,
    now,
    expires_at: addMs(now, HANDED_LINK_MS),
  })
  return token
}

export function isLinkToken(token: unknown): token is string {
  return typeof token === 'string' && parseTokenKind(token) === 'link'
}

/** Undefined if the link is unknown, used, expired or for another browser, or if the person may not sign in. */
export async function redeemLink(
  deps: Pick<Deps, 'db'> & SessionDeps,
  token: string,
  visitor: Visitor,
  now: Date,
): Promise<StartedSession | undefined> {
  const browser_hash = visitor.browser === undefined ? null : hashSecret(visitor.browser)
  const presented = { token_hash: hashSecret(token), browser_hash, now }
  const outcome = await deps.db.withTransaction({ signin: true }, async tx => {
    const found = await findLink(tx, presented)
    return found && redeemAndSignIn(tx, deps, found, { visitor, presented })
  })
  if (outcome && 'reason' in outcome) await recordFailure(deps, visitor, { ...outcome, now })
  return outcome && 'entered' in outcome ? outcome.entered : undefined
}

type Outcome = { entered: StartedSession } | Omit<Failure, 'now'>

async function redeemAndSignIn(
  tx: Db,
  deps: SessionDeps,
  found: FoundLink,
  { visitor, presented }: { visitor: Visitor; presented: Parameters<typeof takeLink>[1] },
): Promise<Outcome> {
  const { user_id } = found
  const method = found.method === 'first-run' ? 'first-run' : 'link'
  const toFailure = (reason: string) => ({ user_id, method, reason }) as const
  // Waits for a concurrent change or deactivation of the person, which then counts.
  const person = await lockPerson(tx, user_id)
  if (!person) return toFailure('the person is deactivated')
  const link = await takeLink(tx, presented)
  if (!link) {
    const { token_hash, browser_hash } = presented
    if (browser_hash !== null && isGoodElsewhere(found))
      await saveOpenedLink(tx, { token_hash, browser_hash })
    return toFailure(describeRefusal(found))
  }
  if (method === 'link' && !mayUseLinks(deps.sso, person.name)) return toFailure('single sign-on is required')
  const { next_path } = link
  const entered = await startSession(tx, deps, visitor, { user_id, method, next_path, now: presented.now })
  return entered ? { entered } : toFailure('the person is deactivated')
}

/** Whether only the browser is another one: whoever has such a link can read the person's mail. */
function isGoodElsewhere({ is_used, is_old, is_elsewhere, is_readdressed }: FoundLink): boolean {
  return is_elsewhere && !is_used && !is_old && !is_readdressed
}

function describeRefusal({ is_used, is_old, is_elsewhere, is_readdressed }: FoundLink): string {
  if (is_used) return 'the link was used before'
  if (is_old) return 'the link is too old'
  if (is_elsewhere) return 'the link is for another browser'
  if (is_readdressed) return 'the link was mailed to another address'
  return 'the link was used at the same time'
}

function buildLinkMail(to: string, link: string): Mail {
  const minutes = MAILED_LINK_MS / MINUTE_MS
  const open = `Open this link within ${minutes} minutes, in the browser in which you requested it:`
  const ignore = 'If you did not try to sign in, ignore this mail: nobody can sign in without this link.'
  return {
    to,
    subject: 'Sign in to Waybill',
    text: `${open}\n\n${link}\n\n${ignore}\n`,
    html: `<p>${open}</p><p><a href="${escapeHtml(link)}">Sign in to Waybill</a></p><p>${ignore}</p>`,
  }
}

function addMs(time: Date, by_ms: number): Date {
  return new Date(time.getTime() + by_ms)
}

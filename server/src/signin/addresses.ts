// People prove a new mail address with the link mailed to it, in their own session. See
// docs/adr/0060-proving-an-address.md.
import type { Caller, Deps } from '../api/operation.ts'
import { findPersonalOrg } from '../api/shared/personal-org-store.ts'
import { buildNoticeMail } from '../api/users/email-mail.ts'
import { findAddress, setProvedEmail, takeProof } from '../api/users/email-store.ts'
import { findAddressManager } from '../domain/own-address.ts'
import { recordEvent } from '../events/record.ts'
import { hashSecret, parseTokenKind } from '../lib/secrets.ts'
import { NO_ORG } from '../mail/queue.ts'
import type { RequestContext } from './people.ts'
import { lockPerson } from './store.ts'

export function isAddressToken(token: unknown): token is string {
  return typeof token === 'string' && parseTokenKind(token) === 'addr'
}

/**
 * `refused`: the link is unknown, used, expired or another person's, or the address is managed elsewhere by now.
 * `taken`: another account has the address.
 */
export type Proved = 'changed' | 'taken' | 'refused'

export async function proveAddress(
  { db, ids, mailer, base_url }: Pick<Deps, 'db' | 'ids' | 'mailer' | 'base_url'>,
  token: string,
  caller: Pick<Caller, 'id' | 'name' | 'kind'>,
  context: RequestContext,
): Promise<Proved> {
  const { id: user_id, name: user } = caller
  const { now } = context
  const personal_org_id = await findPersonalOrg(db, user_id)
  const org_id = personal_org_id ?? NO_ORG
  return db.withTransaction({ signin: true, org_id }, async tx => {
    // Waits for a concurrent change or deactivation of the person, which then counts.
    const person = await lockPerson(tx, user_id)
    const email = person && (await takeProof(tx, { token_hash: hashSecret(token), user_id, now }))
    const before = await findAddress(tx, user_id)
    if (email === undefined || !before || findAddressManager(before) !== null) return 'refused'
    if (!(await setProvedEmail(tx, { user_id, email, now }))) return 'taken'
    const previous = before.email
    if (previous !== null)
      await mailer.queue(tx, org_id, now, buildNoticeMail(base_url, { to: previous, user }))
    if (personal_org_id !== undefined) {
      await recordEvent(tx, { ...context, org: { org_id }, caller }, ids, {
        kind: 'user_changed',
        data: { source: 'app', user, email, previous: { email: previous } },
        about: { person: user_id },
      })
    }
    return 'changed'
  })
}

// PUT /user/settings/email: mails a link to a new address of the caller. The address counts once the link is used;
// see signin/addresses.ts. Another account's addresses are not looked up here, so nothing can reveal them.
import type { Db } from '../../db/database.ts'
import { explainManager, findAddressManager, isProviderDomain } from '../../domain/own-address.ts'
import { recordEvent } from '../../events/record.ts'
import { AppError, conflict, invalid } from '../../lib/errors.ts'
import { NO_ORG } from '../../mail/queue.ts'
import { defineOperation } from '../operation.ts'
import { findPersonalOrg } from '../shared/personal-org-store.ts'
import { OK, Ok } from '../shared/wire.ts'
import { buildProofMail } from './email-mail.ts'
import { countProofs, findAddress, saveProof } from './email-store.ts'
import { lockUser } from './store.ts'
import { EmailPut } from './wire.ts'

const HOUR_MS = 3_600_000
const PROOF_MS = HOUR_MS
const MAX_PER_PERSON = 5
const MAX_PER_ADDRESS = 5

export const setEmail = defineOperation(
  {
    id: 'setEmail',
    method: 'PUT',
    path: '/user/settings/email',
    tag: 'User',
    summary: 'Request to change the mail address of the caller',
    description:
      'For people only. A link is mailed to the new address, which works once, for an hour, in a browser in which the caller ' +
      'is signed in. Until it is used, nothing changes. Addresses that an identity provider or a directory manages are ' +
      'changed there.',
    access: 'user',
    recheck_caller: true,
    audit: 'email_change_requested',
    body: EmailPut,
    returns: Ok,
    fails: [400, 403, 409, 429],
    example: { body: { email: 'ada.new@example.com' } },
  },
  async (request, { db, ids, secrets, mailer, base_url, sso }) => {
    const { caller, now } = request
    const { email } = request.body
    if (isProviderDomain(sso.mail_domains, email)) {
      throw invalid({ email: `Addresses of this domain come with single sign-on [input: ${email}]` })
    }
    const personal_org_id = await findPersonalOrg(db, caller.id)
    const org_id = personal_org_id ?? NO_ORG
    const { key: token, secret_hash: token_hash } = secrets.createToken('addr')
    await db.withTransaction({ signin: true, org_id }, async tx => {
      await checkChange(tx, { user_id: caller.id, email, now })
      const expires_at = new Date(now.getTime() + PROOF_MS)
      await saveProof(tx, { token_hash, user_id: caller.id, email, now, expires_at })
      await mailer.queue(
        tx,
        org_id,
        now,
        buildProofMail(base_url, { email, user: caller.name, token, expires_at }),
      )
      if (personal_org_id === undefined) return
      await recordEvent(tx, { ...request, org: { org_id } }, ids, {
        kind: 'email_change_requested',
        data: { source: 'app', user: caller.name, email },
        about: { person: caller.id },
      })
    })
    return OK
  },
)

/** Locks the person, so that concurrent requests are counted one after the other. */
async function checkChange(
  tx: Db,
  { user_id, email, now }: { user_id: string; email: string; now: Date },
): Promise<void> {
  await lockUser(tx, user_id)
  const address = await findAddress(tx, user_id)
  const manager = address ? findAddressManager(address) : null
  if (manager !== null) throw conflict(explainManager(manager))
  if (address?.email?.toLowerCase() === email.toLowerCase()) {
    throw invalid({ email: `Input should be another address than the present one [input: ${email}]` })
  }
  const since = new Date(now.getTime() - HOUR_MS)
  const { by_person, to_address } = await countProofs(tx, { user_id, email, since })
  if (by_person >= MAX_PER_PERSON || to_address >= MAX_PER_ADDRESS) {
    const message = `Too many links: at most ${MAX_PER_PERSON} an hour for a person and ${MAX_PER_ADDRESS} for an address`
    throw new AppError(429, message, undefined, { 'retry-after': String(HOUR_MS / 1000) })
  }
}

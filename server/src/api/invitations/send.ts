// POST /invitations/{org}: invites a person by mail.

import type { Db } from '../../db/database.ts'
import { assert } from '../../lib/assert.ts'
import { accessDenied, conflict, invalid } from '../../lib/errors.ts'
import { Answer, type Deps, defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { buildIdempotencyClaim, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey } from '../shared/idempotency-store.ts'
import { lockOrgDetails, type OrgDetails } from '../shared/org-details-store.ts'
import { type InviteContext, inviteByMail } from './invite.ts'
import * as store from './store.ts'
import { Invitation, InvitationPost, toWire } from './wire.ts'

export const sendInvitation = defineOperation(
  {
    id: 'sendInvitation',
    method: 'POST',
    path: '/invitations/{org}',
    tag: 'Invitations',
    summary: 'Invite a person by mail',
    description:
      'The mail contains a link that works once, for seven days, and only for that address. If the organization ' +
      'restricts mail domains, the address must be in one of them.',
    access: 'admin',
    recheck_caller: true,
    audit: 'invitation_sent',
    params: OrgPath,
    body: InvitationPost,
    returns: Invitation,
    creates: true,
    fails: [400, 403, 409, 422],
    example: { body: { email: 'ines@example.com', role: 'member' } },
  },
  async (request, deps) => {
    const { body, org, now } = request
    const idempotency = buildIdempotencyClaim(request)
    const row = await deps.db.withTransaction({ org_id: org.org_id }, async tx => {
      // Serialized, so that a concurrent retry sees the result of the first request.
      const details = await lockOrgDetails(tx, org.org_id)
      if (!details) throw accessDenied(request.url.slice(deps.base_url.length))
      const answered_sha256 = await claimKey(tx, org.org_id, idempotency, now)
      refuseOtherContent(answered_sha256, idempotency.request_sha256)
      if (answered_sha256 === null) await invite(tx, request, details, deps)
      return store.findOpenInvitation(tx, org.org_id, body.email)
    })
    // A retry finds nothing if the invitation was accepted or withdrawn meanwhile.
    if (!row)
      throw conflict(`The invitation of '${body.email}' is no longer open: it was accepted or withdrawn`)
    return new Answer(201, toWire(row, now))
  },
)

interface InviteRequest extends InviteContext {
  body: { email: string; role: string }
}

async function invite(tx: Db, request: InviteRequest, details: OrgDetails, deps: Deps): Promise<void> {
  const { email, role } = request.body
  await checkInvitee(tx, request, details)
  if (!(await inviteByMail(tx, deps, request, { email, role, scim_id: null }))) {
    throw conflict(`'${email}' is already invited; resend or withdraw that invitation`)
  }
}

async function checkInvitee(tx: Db, { body, org }: InviteRequest, details: OrgDetails): Promise<void> {
  if (details.kind === 'personal') {
    throw conflict(`'${org.name}' is a personal organization and cannot have other members`)
  }
  const domains = details.settings.mail_domains ?? []
  const domain = body.email.split('@').at(-1)?.toLowerCase()
  assert(domain, 'the pattern of addresses requires a domain')
  if (domains.length > 0 && !domains.includes(domain)) {
    const choices = domains.map(name => `'${name}'`).join(', ')
    throw invalid({ email: `Input should be an address at one of ${choices} [input: ${body.email}]` })
  }
  if (await store.isMemberEmail(tx, org.org_id, body.email)) {
    throw conflict(`'${body.email}' is the address of an existing member`)
  }
}

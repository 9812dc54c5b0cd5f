// POST /invitations/{org}: invite somebody by mail.
import type { Db } from '../../db/database.ts'
import { record } from '../../events/record.ts'
import { assert } from '../../lib/assert.ts'
import { accessDenied, conflict, invalid } from '../../lib/errors.ts'
import { Answer, type CallerOrg, type Deps, operation } from '../operation.ts'
import { lockOrgDetails, type OrgDetails } from '../orgs/store.ts'
import { OrgPath } from '../orgs/wire.ts'
import { idempotencyOf, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey } from '../shared/idempotency-store.ts'
import { takeInvitation } from '../shared/sending-limits.ts'
import { expiryOf, invitationMail } from './mail.ts'
import * as store from './store.ts'
import { Invitation, InvitationPost, toWire } from './wire.ts'

export const sendInvitation = operation(
  {
    id: 'sendInvitation',
    method: 'POST',
    path: '/invitations/{org}',
    tag: 'Invitations',
    summary: 'Invite somebody by mail',
    description:
      'The mail has a link that works once, for seven days and for that address. Where the organization names mail ' +
      'domains, the address must be in one of them.',
    access: 'admin',
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
    const named = idempotencyOf(request)
    const row = await deps.db.inTransaction({ org_id: org.org_id }, async tx => {
      // One after the other: a retry that comes together with the first sees what that did.
      const details = await lockOrgDetails(tx, org.org_id)
      if (!details) throw accessDenied(request.url.slice(deps.base_url.length))
      const answered_sha256 = await claimKey(tx, org.org_id, named, now)
      refuseOtherContent(answered_sha256, named.request_sha256)
      if (answered_sha256 === null) await invite(tx, request, details, deps)
      return store.openInvitationFor(tx, org.org_id, body.email)
    })
    // A retry whose invitation was accepted or withdrawn meanwhile has nothing to show.
    if (!row) throw conflict(`The invitation of '${body.email}' is not open any more`)
    return new Answer(201, toWire(row, now))
  },
)

interface Inviting {
  body: { email: string; role: string }
  org: CallerOrg
  caller: { id: string; name: string }
  now: Date
  request_id: string
}

async function invite(tx: Db, request: Inviting, details: OrgDetails, deps: Deps): Promise<void> {
  const { body, org, caller, now } = request
  const { org_id } = org
  await refuse(tx, request, details)
  const { key: token, secret_hash: token_hash } = deps.secrets.newApiKey('inv')
  const invited_by = caller.name
  const expires_at = expiryOf(now)
  await store.withdrawExpiredInvitation(tx, org_id, { email: body.email, now })
  const invitation_id = deps.ids.next()
  const invitation = { invitation_id, ...body, token_hash, invited_by, now, expires_at }
  if (!(await store.insertInvitation(tx, org_id, invitation))) {
    throw conflict(`'${body.email}' is invited already`)
  }
  await takeInvitation(tx, request, body.email)
  const mail = invitationMail(deps.base_url, { ...body, org: org.name, invited_by, token, expires_at })
  await deps.mailer.queue(tx, org_id, now, mail)
  await record(tx, request, deps.ids, { kind: 'invitation_sent', data: { ...body } })
}

async function refuse(tx: Db, { body, org }: Inviting, details: OrgDetails): Promise<void> {
  if (details.kind === 'personal') {
    throw conflict(`'${org.name}' is a personal organization: it has no other members`)
  }
  const domains = details.settings.mail_domains ?? []
  const domain = body.email.split('@').at(-1)?.toLowerCase()
  assert(domain, 'the pattern of addresses asks for a domain')
  if (domains.length > 0 && !domains.includes(domain)) {
    const places = domains.map(name => `'${name}'`).join(', ')
    throw invalid({ email: `Input should be an address at one of ${places} [input: ${body.email}]` })
  }
  if (await store.isMembersEmail(tx, org.org_id, body.email)) {
    throw conflict(`'${body.email}' is the address of a member already`)
  }
}

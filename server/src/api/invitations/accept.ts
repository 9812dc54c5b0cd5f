// POST /user/invitations/accept: makes the invited person a member. A token works once, and only for the person
// who has the invited mail address, so a forwarded link is useless to anyone else.
import type { Db } from '../../db/database.ts'
import { pickHighestRole } from '../../domain/group-roles.ts'
import { type Role, rankRole } from '../../domain/roles.ts'
import { recordEvent } from '../../events/record.ts'
import { forbidden } from '../../lib/errors.ts'
import type { Ids } from '../../lib/ids.ts'
import { hashSecret, parseTokenKind } from '../../lib/secrets.ts'
import { type Caller, defineOperation } from '../operation.ts'
import { buildIdempotencyClaim, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey, type IdempotencyClaim } from '../shared/idempotency-store.ts'
import { changeMembership } from '../shared/membership.ts'
import { lockMembers } from '../shared/membership-store.ts'
import { findOrgDetails } from '../shared/org-details-store.ts'
import { noSuchInvitation } from './problems.ts'
import {
  findOrgOfToken,
  findRole,
  linkProvisioned,
  lockAcceptingPerson,
  lockInvitationByToken,
  markAccepted,
} from './store.ts'
import { AcceptedInvitation, InvitationAccept } from './wire.ts'

export const acceptInvitation = defineOperation(
  {
    id: 'acceptInvitation',
    method: 'POST',
    path: '/user/invitations/accept',
    tag: 'Invitations',
    summary: 'Accept an invitation',
    description:
      'Only for the person whose mail address was invited. An existing member never gets a lower role.',
    access: 'user',
    recheck_caller: true,
    audit: ['member_added', 'member_role_changed', 'invitation_accepted'],
    body: InvitationAccept,
    returns: AcceptedInvitation,
    fails: [400, 403, 404, 422],
    example: { body: { token: 'wb_inv_000000000000_00000000000000000000000000000000000000000000Sl4sX' } },
  },
  async (request, { db, ids, forgetCaller }) => {
    const { body, caller } = request
    const token_hash = hashSecret(body.token)
    const org_id = parseTokenKind(body.token) === 'inv' ? await findOrgOfToken(db, token_hash) : undefined
    if (org_id === undefined) throw noSuchInvitation()
    const idempotency = buildIdempotencyClaim({ ...request, params: {} })
    const accepted = await db.withTransaction({ org_id, user_id: caller.id }, tx =>
      accept(tx, { ...request, org: { org_id }, token_hash, idempotency }, ids),
    )
    forgetCaller(caller.id)
    return accepted
  },
)

/** A person with a token, and the organization of that token. */
export interface AcceptContext {
  org: { org_id: string }
  caller: Pick<Caller, 'id' | 'name' | 'kind'>
  now: Date
  request_id: string
  token_hash: string
  idempotency: IdempotencyClaim
}

/** Must run in a transaction of the organization that can also see the person. */
export async function accept(tx: Db, context: AcceptContext, ids: Ids) {
  const { org, caller, now, idempotency, token_hash } = context
  const { org_id } = org
  // The same lock order as SCIM provisioning: members of the organization, then an invitation or a person.
  await lockMembers(tx, org_id)
  const invitation = await lockInvitationByToken(tx, org_id, { token_hash, now })
  const details = await findOrgDetails(tx, org_id)
  if (!invitation || !details) throw noSuchInvitation()
  const answered_sha256 = await claimKey(tx, org_id, idempotency, now)
  refuseOtherContent(answered_sha256, idempotency.request_sha256)
  const { invitation_id, email } = invitation
  const currentRole = (await findRole(tx, org_id, caller.id)) as Role | undefined
  if (answered_sha256 !== null && currentRole) return { org: details.name, role: currentRole }
  if (!invitation.is_open) throw noSuchInvitation()
  const person = await lockAcceptingPerson(tx, caller.id)
  if (person?.email?.toLowerCase() !== email.toLowerCase() || person.is_deactivated) {
    throw forbidden('The invitation is for a different mail address than yours')
  }
  const provisioned = await linkProvisioned(tx, org_id, { user_id: caller.id, email })
  const invitedRole =
    provisioned && invitation.is_from_directory
      ? pickHighestRole(provisioned.group_roles, provisioned.default_role)
      : (invitation.role as Role)
  const keepsRole = currentRole && rankRole(currentRole) >= rankRole(invitedRole)
  if (!keepsRole) {
    const member = {
      user_id: caller.id,
      user_name: caller.name,
      role: invitedRole,
      source: 'invitation',
    } as const
    await changeMembership(tx, context, ids, member)
  }
  await markAccepted(tx, org_id, { invitation_id, user_id: caller.id, now })
  await recordEvent(tx, context, ids, {
    kind: 'invitation_accepted',
    data: { email, role: invitedRole },
    row_ids: { invitation: invitation_id },
  })
  return { org: details.name, role: keepsRole ? currentRole : invitedRole }
}

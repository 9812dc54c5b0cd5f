// DELETE /invitations/{org}/{invitation_id}: withdraws an invitation. The link in the mail stops working.
import { recordEvent } from '../../events/record.ts'
import { defineOperation } from '../operation.ts'
import { OK, Ok } from '../shared/wire.ts'
import { requireLockedInvitation } from './problems.ts'
import * as store from './store.ts'
import { InvitationPath } from './wire.ts'

export const withdrawInvitation = defineOperation(
  {
    id: 'withdrawInvitation',
    method: 'DELETE',
    path: '/invitations/{org}/{invitation_id}',
    tag: 'Invitations',
    summary: 'Withdraw an invitation',
    access: 'admin',
    recheck_caller: true,
    audit: 'invitation_withdrawn',
    params: InvitationPath,
    returns: Ok,
    fails: [403, 404],
  },
  (request, { db, ids }) => {
    const { params, org, now } = request
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const { invitation_id, email, role } = await requireLockedInvitation(tx, org.org_id, params)
      await store.withdrawInvitation(tx, org.org_id, { invitation_id, now })
      await recordEvent(tx, request, ids, {
        kind: 'invitation_withdrawn',
        data: { email, role },
        row_ids: { invitation: invitation_id },
      })
      return OK
    })
  },
)

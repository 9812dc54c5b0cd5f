// GET /invitations/{org}: who is invited and has not come yet.
import { Type } from 'typebox'
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../orgs/wire.ts'
import { listOpenInvitations } from './store.ts'
import { Invitation, toWire } from './wire.ts'

export const listInvitations = defineOperation(
  {
    id: 'listInvitations',
    method: 'GET',
    path: '/invitations/{org}',
    tag: 'Invitations',
    summary: 'List open invitations',
    description: 'In order of the addresses; also those that have expired and can be sent again.',
    access: 'admin',
    audit: 'none: reads',
    params: OrgPath,
    returns: Type.Array(Invitation),
    fails: [403],
  },
  async ({ org, now }, { db }) => {
    const rows = await listOpenInvitations(db, org.org_id)
    return rows.map(row => toWire(row, now))
  },
)

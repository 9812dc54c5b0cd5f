// GET /invitations/{org}: invitations that were neither accepted nor withdrawn.

import { Type } from 'typebox'
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { listOpenInvitations } from './store.ts'
import { Invitation, toWire } from './wire.ts'

export const listInvitations = defineOperation(
  {
    id: 'listInvitations',
    method: 'GET',
    path: '/invitations/{org}',
    tag: 'Invitations',
    summary: 'List open invitations',
    description: 'Sorted by address. Includes expired invitations, which can be sent again.',
    access: 'admin',
    auditors: true,
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    returns: Type.Array(Invitation),
    fails: [403],
  },
  async ({ org, now }, { db }) => {
    const rows = await listOpenInvitations(db, org.org_id)
    return rows.map(row => toWire(row, now))
  },
)

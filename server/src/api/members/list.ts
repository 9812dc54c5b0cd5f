// GET /members/{org}: who belongs to the organization, with which role.
import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { OrgPath } from '../orgs/wire.ts'
import { listMembers as store } from './store.ts'
import { Member, toWire } from './wire.ts'

export const listMembers = operation(
  {
    id: 'listMembers',
    method: 'GET',
    path: '/members/{org}',
    tag: 'Members',
    summary: 'List the members of an organization',
    description: 'In order of their names. Mail addresses are only told to admins.',
    access: 'reader',
    audit: 'none: reads',
    params: OrgPath,
    returns: Type.Array(Member),
    fails: [403],
  },
  async ({ org }, { db }) => {
    const rows = await store(db, org.org_id)
    return rows.map(row => toWire(row, { is_admin: org.role === 'admin' }))
  },
)

// GET /organizations: the organizations of the caller.
import { Type } from 'typebox'
import type { Role } from '../../domain/roles.ts'
import { defineOperation } from '../operation.ts'
import { listUserOrgs } from './store.ts'
import { OwnOrg } from './wire.ts'

export const listOrgs = defineOperation(
  {
    id: 'listOrganizations',
    method: 'GET',
    path: '/organizations',
    tag: 'Organizations',
    summary: 'List the organizations of the caller',
    description: 'For people only. Sorted by name.',
    access: 'user',
    audit: 'none: reads',
    reads: 'replica',
    returns: Type.Array(OwnOrg),
    fails: [403],
  },
  async ({ caller }, { db }) => {
    const rows = await listUserOrgs(db, caller.id)
    return rows.map(({ name, kind, role, description }) => ({
      name,
      kind: kind === 'personal' ? ('personal' as const) : ('shared' as const),
      role: role as Role,
      description,
    }))
  },
)

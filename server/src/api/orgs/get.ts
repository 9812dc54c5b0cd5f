// GET /organizations/{org}: an organization and its settings.
import { accessDenied } from '../../lib/errors.ts'
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { findOrgDetails } from '../shared/org-details-store.ts'
import { Org, toWire } from './wire.ts'

export const getOrg = defineOperation(
  {
    id: 'getOrganization',
    method: 'GET',
    path: '/organizations/{org}',
    tag: 'Organizations',
    summary: 'Get an organization',
    access: 'reader',
    audit: 'none: reads',
    params: OrgPath,
    returns: Org,
    fails: [403],
  },
  async ({ org, url }, { db, base_url }) => {
    const { org_id } = org
    const row = await db.withTransaction({ org_id }, tx => findOrgDetails(tx, org_id))
    if (!row) throw accessDenied(url.slice(base_url.length))
    return toWire(row)
  },
)

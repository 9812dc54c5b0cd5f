// GET /badge-tokens/{org}: the badges that were not revoked, without their tokens.
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { listBadges as readBadges } from './store.ts'
import { BadgeList, toWire } from './wire.ts'

export const listBadges = defineOperation(
  {
    id: 'listBadges',
    method: 'GET',
    path: '/badge-tokens/{org}',
    tag: 'Badges',
    summary: 'List the badges of an organization',
    description: 'Those that were not revoked, oldest first.',
    access: 'admin',
    auditors: true,
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    returns: BadgeList,
    fails: [403],
  },
  async ({ org }, { db }) => (await readBadges(db, org.org_id)).map(toWire),
)

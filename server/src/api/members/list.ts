// GET /members/{org}: the members of the organization and their roles, all or one page.

import { isAdminOrAuditor } from '../../domain/roles.ts'
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { buildPagination, readPageRequest, toSlice } from '../shared/page.ts'
import * as store from './store.ts'
import { MemberList, MemberListQuery, toWire } from './wire.ts'

const DEFAULT_PER_PAGE = 20

export const listMembers = defineOperation(
  {
    id: 'listMembers',
    method: 'GET',
    path: '/members/{org}',
    tag: 'Members',
    summary: 'List the members of an organization',
    description:
      'Sorted by name. A plain array, or an envelope if `page` or `per_page` is given. Only admins and auditors can see ' +
      'mail addresses and search by them.',
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    query: MemberListQuery,
    returns: MemberList,
    fails: [400, 403],
    example: { query: { page: '1', per_page: '20', search: 'ada' } },
  },
  async ({ query, org }, { db }) => {
    const with_addresses = isAdminOrAuditor(org.role)
    // Some clients send an unset filter as an empty string.
    const filter = { search: query.search || null, in_email: with_addresses }
    const show = (row: store.MemberRow) => toWire(row, { with_addresses })
    const page = readPageRequest(query, DEFAULT_PER_PAGE)
    if (!page) return (await store.listMembers(db, org.org_id, filter)).map(show)
    const { rows, total } = await db.withTransaction({ org_id: org.org_id }, tx =>
      store.listMembersPage(tx, org.org_id, filter, toSlice(page)),
    )
    return { data: rows.map(show), pagination: buildPagination(page, total) }
  },
)

// GET /members/{org}: who belongs to the organization, with which role; all of them, or a page when one is asked for.
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../orgs/wire.ts'
import { buildPagination, readPageRequest, toSlice } from '../shared/page.ts'
import * as store from './store.ts'
import { MemberList, MemberListQuery, toWire } from './wire.ts'

const USUAL_PER_PAGE = 20

export const listMembers = defineOperation(
  {
    id: 'listMembers',
    method: 'GET',
    path: '/members/{org}',
    tag: 'Members',
    summary: 'List the members of an organization',
    description:
      'In order of their names, a plain array; with `page` or `per_page` an envelope. Mail addresses are only told to ' +
      'admins, and nobody else finds members by them.',
    access: 'reader',
    audit: 'none: reads',
    params: OrgPath,
    query: MemberListQuery,
    returns: MemberList,
    fails: [400, 403],
    example: { query: { page: '1', per_page: '20', search: 'ada' } },
  },
  async ({ query, org }, { db }) => {
    const is_admin = org.role === 'admin'
    // Clients send a filter that nobody set as an empty text.
    const filter = { search: query.search || null, in_email: is_admin }
    const show = (row: store.MemberRow) => toWire(row, { is_admin })
    const page = readPageRequest(query, USUAL_PER_PAGE)
    if (!page) return (await store.listMembers(db, org.org_id, filter)).map(show)
    const { rows, total } = await db.withTransaction({ org_id: org.org_id }, tx =>
      store.listMembersPage(tx, org.org_id, filter, toSlice(page)),
    )
    return { data: rows.map(show), pagination: buildPagination(page, total) }
  },
)

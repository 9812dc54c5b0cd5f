// API schemas of the members of an organization.
import { type Static, Type } from 'typebox'
import type { Role as RoleName } from '../../domain/roles.ts'
import { Role } from '../orgs/wire.ts'
import { CreatedAt, OrgName } from '../shared/fields.ts'
import { Page, Pagination, PerPage } from '../shared/page.ts'
import { about, Closed, Nullable, OneOf, toEpoch } from '../shared/wire.ts'
import type { MemberRow } from './store.ts'

const MAX_SEARCH = 255

export const SOURCES = ['app', 'scim', 'invitation', 'script'] as const

export const MemberPath = Closed('MemberPath', {
  org: OrgName,
  user: Type.String(about('Name of the user', 'ada')),
})
export const MemberListQuery = Closed('MemberListQuery', {
  page: Page,
  per_page: PerPage,
  search: Type.Optional(
    Type.String({
      maxLength: MAX_SEARCH,
      ...about(
        'Only members whose name or, for admins, mail address contains this text (case-insensitive)',
        'backend',
      ),
    }),
  ),
})
export const MemberPut = Closed('MemberPut', { role: Role })

export const Member = Closed('Member', {
  user: Type.String(about('User name', 'ada')),
  display_name: Type.String(about('Display name; the same as `user` if there is none', 'Build server')),
  email: Type.Optional(
    Nullable(Type.String(about('Mail address; only visible to admins', 'ada@example.com'))),
  ),
  role: Role,
  created_at: CreatedAt,
  source: Nullable(OneOf([...SOURCES], about('How the membership was last changed', 'invitation'))),
})
export type Member = Static<typeof Member>

export const MemberPage = Closed('MemberPage', {
  data: Type.Array(Member, about('The items on this page')),
  pagination: Pagination,
})

/** A plain array, or an envelope if the caller requested a page. */
export const MemberList = Type.Unsafe<Member[] | Static<typeof MemberPage>>({
  anyOf: [Type.Array(Member), MemberPage],
  title: 'MemberList',
})

export function toWire(row: MemberRow, shown: { with_addresses: boolean }): Member {
  return {
    user: row.user,
    display_name: row.display_name || row.user,
    ...(shown.with_addresses ? { email: row.email } : {}),
    role: row.role as RoleName,
    created_at: toEpoch(row.created_at),
    source: row.source as Member['source'],
  }
}

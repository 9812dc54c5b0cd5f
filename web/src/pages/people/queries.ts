// What the pages of people ask the server for, and what they tell it.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { expectPage } from '../../parts/queries.ts'
import { PER_PAGE, type Schemas } from '../../parts/schemas.ts'
import type { Role } from '../../parts/use-role.ts'
import { useChange } from '../../ui/use-change.ts'
import type { AuditEventsSearch, AuditLogSearch, MembersSearch } from './search-params.ts'

export type Member = Schemas['Member']
export type Invitation = Schemas['Invitation']

export const membersQuery = (org: string, { page = 1, ...filter }: MembersSearch) =>
  queryOptions({
    queryKey: ['members', org, filter, page],
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const query = { ...filter, page, per_page: PER_PAGE }
      return expectPage(await unwrap(api.GET('/members/{org}', { params: { path: { org }, query } })))
    },
  })

export const invitationsQuery = (org: string) =>
  queryOptions({
    queryKey: ['invitations', org],
    queryFn: () => unwrap(api.GET('/invitations/{org}', { params: { path: { org } } })),
  })

export const auditLogQuery = (org: string, query: AuditLogSearch) =>
  queryOptions({
    queryKey: ['membership-audit-log', org, query],
    placeholderData: keepPreviousData,
    queryFn: () => unwrap(api.GET('/membership-audit-log/{org}', { params: { path: { org }, query } })),
  })

export const auditEventsQuery = (org: string, query: AuditEventsSearch) =>
  queryOptions({
    queryKey: ['audit-events', org, query],
    placeholderData: keepPreviousData,
    queryFn: () => unwrap(api.GET('/audit-events/{org}', { params: { path: { org }, query } })),
  })

export const useRoleChange = (org: string) =>
  useChange(
    ({ user, role }: { user: string; role: Role }) =>
      unwrap(api.PUT('/members/{org}/{user}', { params: { path: { org, user } }, body: { role } })),
    { notice: (_, { user, role }) => `The role of ${user} is ${role} now` },
  )

export const useRemoval = (org: string, onDone: (() => void) | undefined) =>
  useChange(
    (user: string) => unwrap(api.DELETE('/members/{org}/{user}', { params: { path: { org, user } } })),
    { notice: (_, user) => `${user} is in ${org} no more`, ...(onDone && { onDone }) },
  )

export const useInviting = (org: string) =>
  useChange(
    (body: { email: string; role: Role }) =>
      unwrap(api.POST('/invitations/{org}', { params: { path: { org } }, body })),
    { notice: ({ email }) => `Invited ${email}. The link works once, for seven days.` },
  )

export const useResending = (org: string) =>
  useChange(
    (invitation_id: string) =>
      unwrap(
        api.POST('/invitations/{org}/{invitation_id}/resend', { params: { path: { org, invitation_id } } }),
      ),
    { notice: 'Sent a new link' },
  )

export const useWithdrawing = (org: string) =>
  useChange(
    (invitation_id: string) =>
      unwrap(api.DELETE('/invitations/{org}/{invitation_id}', { params: { path: { org, invitation_id } } })),
    { notice: 'The invitation is withdrawn' },
  )

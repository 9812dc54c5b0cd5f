// What the pages of people ask the server for, and what they tell it.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answered, api } from '../../api.ts'
import { asPage } from '../../parts/queries.ts'
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
      return asPage(await answered(api.GET('/members/{org}', { params: { path: { org }, query } })))
    },
  })

export const invitationsQuery = (org: string) =>
  queryOptions({
    queryKey: ['invitations', org],
    queryFn: () => answered(api.GET('/invitations/{org}', { params: { path: { org } } })),
  })

export const auditLogQuery = (org: string, query: AuditLogSearch) =>
  queryOptions({
    queryKey: ['membership-audit-log', org, query],
    placeholderData: keepPreviousData,
    queryFn: () => answered(api.GET('/membership-audit-log/{org}', { params: { path: { org }, query } })),
  })

export const auditEventsQuery = (org: string, query: AuditEventsSearch) =>
  queryOptions({
    queryKey: ['audit-events', org, query],
    placeholderData: keepPreviousData,
    queryFn: () => answered(api.GET('/audit-events/{org}', { params: { path: { org }, query } })),
  })

export const useRoleChange = (org: string) =>
  useChange(
    ({ user, role }: { user: string; role: Role }) =>
      answered(api.PUT('/members/{org}/{user}', { params: { path: { org, user } }, body: { role } })),
    { said: (_, { user, role }) => `The role of ${user} is ${role} now` },
  )

export const useRemoval = (org: string, done: (() => void) | undefined) =>
  useChange(
    (user: string) => answered(api.DELETE('/members/{org}/{user}', { params: { path: { org, user } } })),
    { said: (_, user) => `${user} is in ${org} no more`, ...(done && { done }) },
  )

export const useInviting = (org: string) =>
  useChange(
    (body: { email: string; role: Role }) =>
      answered(api.POST('/invitations/{org}', { params: { path: { org } }, body })),
    { said: ({ email }) => `Invited ${email}. The link works once, for seven days.` },
  )

export const useResending = (org: string) =>
  useChange(
    (invitation_id: string) =>
      answered(
        api.POST('/invitations/{org}/{invitation_id}/resend', { params: { path: { org, invitation_id } } }),
      ),
    { said: 'Sent a new link' },
  )

export const useWithdrawing = (org: string) =>
  useChange(
    (invitation_id: string) =>
      answered(
        api.DELETE('/invitations/{org}/{invitation_id}', { params: { path: { org, invitation_id } } }),
      ),
    { said: 'The invitation is withdrawn' },
  )

// Queries and changes of the pages about people.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { expectPage } from '../../parts/queries.ts'
import { PER_PAGE, type Schemas } from '../../parts/schemas.ts'
import type { Role } from '../../parts/use-role.ts'
import { useChange } from '../../ui/use-change.ts'
import type { AuditEventsSearch, AuditLogSearch, MembersSearch } from './search-params.ts'
import { peopleTexts as texts } from './texts.ts'

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

export const auditEventValuesQuery = (org: string) =>
  queryOptions({
    queryKey: ['audit-event-values', org],
    queryFn: () => unwrap(api.GET('/audit-events/{org}/values', { params: { path: { org } } })),
  })

export const auditEventQuery = (org: string, event_id: string) =>
  queryOptions({
    queryKey: ['audit-event', org, event_id],
    queryFn: () =>
      unwrap(api.GET('/audit-events/{org}/events/{event_id}', { params: { path: { org, event_id } } })),
  })

export const useRoleChange = (org: string) =>
  useChange(
    ({ user, role }: { user: string; role: Role }) =>
      unwrap(api.PUT('/members/{org}/{user}', { params: { path: { org, user } }, body: { role } })),
    { notice: (_, { user, role }) => texts.memberTable.roleChanged(user, role) },
  )

export const useRemoval = (org: string, onDone: (() => void) | undefined) =>
  useChange(
    (user: string) => unwrap(api.DELETE('/members/{org}/{user}', { params: { path: { org, user } } })),
    { notice: (_, user) => texts.memberTable.removed(user, org), ...(onDone && { onDone }) },
  )

export const useResend = (org: string) =>
  useChange(
    (invitation_id: string) =>
      unwrap(
        api.POST('/invitations/{org}/{invitation_id}/resend', { params: { path: { org, invitation_id } } }),
      ),
    { notice: texts.invitations.resent },
  )

export const useWithdraw = (org: string) =>
  useChange(
    (invitation_id: string) =>
      unwrap(api.DELETE('/invitations/{org}/{invitation_id}', { params: { path: { org, invitation_id } } })),
    { notice: texts.invitations.withdrawn },
  )

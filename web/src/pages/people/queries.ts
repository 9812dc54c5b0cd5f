// What the pages of people ask the server for, and what they tell it.
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { components } from '@waybill/client'
import { answered, api } from '../../api.ts'
import type { AuditEventsSearch, AuditLogSearch, Role } from './search-params.ts'

export type Member = components['schemas']['Member']
export type Invitation = components['schemas']['Invitation']

export const membersQuery = (org: string) =>
  queryOptions({
    queryKey: ['members', org],
    queryFn: () => answered(api.GET('/members/{org}', { params: { path: { org } } })),
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

/** What a change of people makes stale. */
const ABOUT_PEOPLE = ['members', 'invitations', 'membership-audit-log', 'audit-events', 'session']

function useChange<Input, Output>(change: (input: Input) => Promise<Output>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSettled: () =>
      queries.invalidateQueries({ predicate: ({ queryKey }) => ABOUT_PEOPLE.includes(String(queryKey[0])) }),
  })
}

export const useRoleChange = (org: string) =>
  useChange(({ user, role }: { user: string; role: Role }) =>
    answered(api.PUT('/members/{org}/{user}', { params: { path: { org, user } }, body: { role } })),
  )

export const useRemoval = (org: string) =>
  useChange((user: string) =>
    answered(api.DELETE('/members/{org}/{user}', { params: { path: { org, user } } })),
  )

export const useInviting = (org: string) =>
  useChange((body: { email: string; role: Role }) =>
    answered(api.POST('/invitations/{org}', { params: { path: { org } }, body })),
  )

export const useResending = (org: string) =>
  useChange((invitation_id: string) =>
    answered(
      api.POST('/invitations/{org}/{invitation_id}/resend', { params: { path: { org, invitation_id } } }),
    ),
  )

export const useWithdrawing = (org: string) =>
  useChange((invitation_id: string) =>
    answered(api.DELETE('/invitations/{org}/{invitation_id}', { params: { path: { org, invitation_id } } })),
  )

// What the first page asks the server for.
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { environmentPageQuery } from '../environments/queries.ts'

export const DAY_SECONDS = 24 * 60 * 60
const MINUTE_SECONDS = 60
const ENVIRONMENTS_SHOWN = 24
const DEPLOYMENTS_SHOWN = 10
const UNBOUND_SHOWN = 5
const EVENTS_SHOWN = 10
/** Keys are asked for account by account. */
const ACCOUNTS_ASKED = 30

const CHANGES_OF_RULES = [
  'policy_created',
  'policy_updated',
  'policy_archived',
  'policy_unarchived',
  'policy_attached',
  'policy_detached',
  'artifact_allow_listed',
  'allow_list_entry_removed',
  'allow_list_entry_expired',
  'environment_created',
  'environment_updated',
  'environment_archived',
  'environment_unarchived',
  'environment_renamed',
  'environment_members_changed',
  'control_created',
  'control_updated',
  'control_archived',
  'flow_created',
  'flow_archived',
  'flow_unarchived',
  'member_added',
  'member_role_changed',
  'member_removed',
] as const

/** By the minute, so that the same question is asked once. */
const secondsAgo = (seconds: number) =>
  Math.floor(Date.now() / 1000 / MINUTE_SECONDS) * MINUTE_SECONDS - seconds

export const shownEnvironmentsQuery = (org: string) => environmentPageQuery(org, {}, ENVIRONMENTS_SHOWN)

/** For their number. */
export const countQuery = (org: string, state: 'non-compliant' | 'stale') =>
  environmentPageQuery(org, { state }, 1)

export const deploymentsOfLastDayQuery = (org: string) =>
  queryOptions({
    queryKey: ['overview deployments', org],
    queryFn: () =>
      unwrap(
        api.GET('/deployments/{org}', {
          params: {
            path: { org },
            query: { start_ts: secondsAgo(DAY_SECONDS), per_page: DEPLOYMENTS_SHOWN },
          },
        }),
      ),
  })

/** Only an admin may ask. */
export const rulesChangedQuery = (org: string) =>
  queryOptions({
    queryKey: ['overview changes', org],
    queryFn: () =>
      unwrap(
        api.GET('/audit-events/{org}', {
          params: {
            path: { org },
            query: {
              kind: [...CHANGES_OF_RULES],
              from_timestamp: secondsAgo(DAY_SECONDS),
              per_page: EVENTS_SHOWN,
            },
          },
        }),
      ),
  })

/** Attestations whose artifact nobody has reported: they count for nothing so far. */
export const unboundEvidenceQuery = (org: string) =>
  queryOptions({
    queryKey: ['overview unbound evidence', org],
    queryFn: () =>
      unwrap(
        api.GET('/attestations/{org}', {
          params: { path: { org }, query: { is_waiting: true, per_page: UNBOUND_SHOWN } },
        }),
      ),
  })

export interface EndingKey {
  account: string
  id: string
  description: string
  hint: string
  expires_at: number
}

/** Those that end within so many days, the first to end first. Those without an end have 0 there. */
export const endingKeysQuery = (org: string, days: number) =>
  queryOptions({
    queryKey: ['overview ending keys', org, days],
    queryFn: async (): Promise<EndingKey[]> => {
      const accounts = await unwrap(api.GET('/service-accounts/{org}', { params: { path: { org } } }))
      const keys = await Promise.all(accounts.slice(0, ACCOUNTS_ASKED).map(({ name }) => keysOf(org, name)))
      const limit = Date.now() / 1000 + days * DAY_SECONDS
      return keys
        .flat()
        .filter(({ expires_at }) => expires_at > 0 && expires_at < limit)
        .toSorted((a, b) => a.expires_at - b.expires_at)
    },
  })

async function keysOf(org: string, account: string): Promise<EndingKey[]> {
  const keys = await unwrap(
    api.GET('/service-accounts/{org}/{name}/api-keys', { params: { path: { org, name: account } } }),
  )
  return keys.map(({ id, description, hint, expires_at }) => ({
    account,
    id,
    description,
    hint,
    expires_at,
  }))
}

// Queries of the overview.
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { readServerSeconds } from '../../live/server-clock.ts'
import { environmentPageQuery } from '../environments/queries.ts'

export const DAY_SECONDS = 24 * 60 * 60
const MINUTE_SECONDS = 60
const ENVIRONMENTS_SHOWN = 24
const DEPLOYMENTS_SHOWN = 10
const UNBOUND_SHOWN = 5
const EVENTS_SHOWN = 10
/** Keys are read one account at a time. */
const MAX_ACCOUNTS = 30

const RULE_CHANGES = [
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

/** Rounded to the minute, so that repeated queries share a cache entry. */
const secondsAgo = (seconds: number) =>
  Math.floor(readServerSeconds() / MINUTE_SECONDS) * MINUTE_SECONDS - seconds

export const shownEnvironmentsQuery = (org: string) => environmentPageQuery(org, {}, ENVIRONMENTS_SHOWN)

/** Reads one environment to get the total count. */
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

/** For admins only. */
export const ruleChangesQuery = (org: string) =>
  queryOptions({
    queryKey: ['overview changes', org],
    queryFn: () =>
      unwrap(
        api.GET('/audit-events/{org}', {
          params: {
            path: { org },
            query: {
              kind: [...RULE_CHANGES],
              from_timestamp: secondsAgo(DAY_SECONDS),
              per_page: EVENTS_SHOWN,
            },
          },
        }),
      ),
  })

/** Attestations whose artifact is not reported yet, so they are not evidence for anything. */
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

export interface ExpiringKey {
  account: string
  id: string
  description: string
  hint: string
  expires_at: number
}

/** Keys that expire within `days` days, soonest first. `expires_at` is 0 for keys that never expire. */
export const expiringKeysQuery = (org: string, days: number) =>
  queryOptions({
    queryKey: ['overview expiring keys', org, days],
    queryFn: async (): Promise<ExpiringKey[]> => {
      const accounts = await unwrap(api.GET('/service-accounts/{org}', { params: { path: { org } } }))
      const keys = await Promise.all(accounts.slice(0, MAX_ACCOUNTS).map(({ name }) => listKeys(org, name)))
      const limit = readServerSeconds() + days * DAY_SECONDS
      return keys
        .flat()
        .filter(({ expires_at }) => expires_at > 0 && expires_at < limit)
        .toSorted((a, b) => a.expires_at - b.expires_at)
    },
  })

async function listKeys(org: string, account: string): Promise<ExpiringKey[]> {
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

// Queries of the overview.
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { readServerSeconds } from '../../live/server-clock.ts'
import { environmentPageQuery } from '../environments/queries.ts'

const DAY_SECONDS = 24 * 60 * 60
const MINUTE_SECONDS = 60
const ENVIRONMENTS_SHOWN = 24
const DEPLOYMENTS_SHOWN = 10
const EVENTS_SHOWN = 10
export const DAYS_SHOWN = 90
const BUCKETS_SHOWN = 45

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
export const countQuery = (org: string, state: 'non-compliant' | 'stale' | 'unknown') =>
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

/** For admins and auditors only. */
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

/** The warnings about things that need attention soon. */
export const attentionQuery = (org: string) =>
  queryOptions({
    queryKey: ['attention', org],
    queryFn: () => unwrap(api.GET('/attention/{org}', { params: { path: { org } } })),
  })

/** The last 90 days of all shown environments. */
export const timelinesQuery = (org: string, environments: readonly { name: string }[]) => {
  const names = environments.map(({ name }) => name).toSorted()
  return queryOptions({
    queryKey: ['environment timelines', org, names],
    placeholderData: (before, query) => (query?.queryKey[1] === org ? before : undefined),
    queryFn: async () => {
      const query = { environment: names, from: secondsAgo(DAYS_SHOWN * DAY_SECONDS), buckets: BUCKETS_SHOWN }
      const { timelines } = await unwrap(
        api.GET('/environment-timelines/{org}', { params: { path: { org }, query } }),
      )
      return timelines
    },
  })
}

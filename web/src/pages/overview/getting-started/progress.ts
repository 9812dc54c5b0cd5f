// How far a new organization has come, judging by its stored data instead of by clicks.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../../../api.ts'
import { environmentsQuery } from '../../../parts/queries.ts'
import type { Schemas } from '../../../parts/schemas.ts'
import { useStaleness } from '../../../parts/use-staleness.ts'
import { flowsQuery, trailsQuery } from '../../flows/queries.ts'
import { ownKeys } from '../../settings/key-owners.ts'

/** The role that the commands need: they create a flow and an environment, and report. */
export const NEEDED_ROLE = 'member'
const SUFFICIENT: readonly string[] = [NEEDED_ROLE, 'admin']
/** Keys are read one account at a time. */
const MAX_ACCOUNTS = 10

/**
 * The account whose key can run the commands: a service account, or null for the user's own key; undefined if
 * there is none.
 */
const usableKeyQuery = (org: string) =>
  queryOptions({
    queryKey: ['api-keys', 'usable', org],
    queryFn: async (): Promise<{ account: string | null } | null> => {
      const accounts = await unwrap(api.GET('/service-accounts/{org}', { params: { path: { org } } }))
      const able = accounts.filter(({ privilege }) => SUFFICIENT.includes(privilege)).slice(0, MAX_ACCOUNTS)
      for (const { name } of able) {
        const path = { org, name }
        const keys = await unwrap(api.GET('/service-accounts/{org}/{name}/api-keys', { params: { path } }))
        if (keys.length > 0) return { account: name }
      }
      return (await ownKeys.list()).length > 0 ? { account: null } : null
    },
  })

/** The newest attestation: the offered policy requires one like it. */
const newestAttestationQuery = (org: string) =>
  queryOptions({
    queryKey: ['attestations', org, 'newest'],
    queryFn: async () => {
      const answer = await unwrap(
        api.GET('/attestations/{org}', { params: { path: { org }, query: { per_page: 1 } } }),
      )
      return answer.data[0] ?? null
    },
  })

export interface Progress {
  key: { account: string | null } | null
  flow: string | undefined
  trail: { flow: string; name: string } | undefined
  attestation: Schemas['Attestation'] | null
  environment: Schemas['Environment'] | undefined
  /** An environment that has a report. */
  reported: Schemas['Environment'] | undefined
  /** A reported environment with an attached policy. */
  governed: Schemas['Environment'] | undefined
  /** A reported environment that is compliant with its policies. */
  green: Schemas['Environment'] | undefined
}

export function useProgress(org: string, canReadKeys: boolean): Progress | undefined {
  const key = useQuery({ ...usableKeyQuery(org), enabled: canReadKeys })
  const flows = useQuery(flowsQuery(org, {}))
  const trails = useQuery(trailsQuery(org, { archived: false }))
  const attestation = useQuery(newestAttestationQuery(org))
  const environments = useQuery(environmentsQuery(org))
  const current = useStaleness(environments.data ?? [])
  if (!flows.data || !trails.data || attestation.data === undefined || !environments.data) return undefined
  if (canReadKeys && key.data === undefined) return undefined
  const [trail] = trails.data.data
  const reported = current.filter(({ latest_snapshot_index }) => latest_snapshot_index > 0)
  const governed = reported.filter(({ policies }) => policies.length > 0)
  return {
    key: key.data ?? null,
    flow: flows.data.data[0]?.name,
    trail: trail && { flow: trail.flow_name, name: trail.name },
    attestation: attestation.data,
    environment: current[0],
    reported: governed[0] ?? reported[0],
    governed: governed[0],
    green: governed.find(({ state, is_stale }) => state === true && !is_stale),
  }
}

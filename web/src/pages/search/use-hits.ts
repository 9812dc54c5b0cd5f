// Asks for everything a text could mean, all at once.
import { useQuery } from '@tanstack/react-query'
import {
  artifactHits,
  controlHits,
  environmentHits,
  flowHits,
  type HitGroup,
  policyHits,
  trailHits,
} from './hits.ts'
import {
  artifactsByHashQuery,
  controlsByNameQuery,
  environmentsByNameQuery,
  flowsByNameQuery,
  policiesByNameQuery,
  trailsByCommitQuery,
} from './queries.ts'

export interface Found {
  groups: HitGroup[]
  count: number
  /** The page of the one artifact that has the whole hash that was asked for. */
  exact: string | undefined
  isPending: boolean
  error: Error | null
}

export function useHits(org: string, text: string): Found {
  const artifacts = useQuery(artifactsByHashQuery(org, text))
  const trails = useQuery(trailsByCommitQuery(org, text))
  const environments = useQuery(environmentsByNameQuery(org, text))
  const flows = useQuery(flowsByNameQuery(org, text))
  const policies = useQuery(policiesByNameQuery(org, text))
  const controls = useQuery(controlsByNameQuery(org, text))
  const all = [artifacts, trails, environments, flows, policies, controls]
  const found_artifacts = artifactHits(org, artifacts.data?.artifacts)
  const groups = [
    found_artifacts,
    trailHits(org, trails.data?.trails),
    environmentHits(org, environments.data),
    flowHits(org, flows.data),
    policyHits(org, policies.data),
    controlHits(org, controls.data),
  ].filter(({ hits }) => hits.length > 0)
  const isWhole = artifacts.data?.resolved_to.full_match === text.toLowerCase()
  return {
    groups,
    count: groups.reduce((sum, { hits }) => sum + hits.length, 0),
    exact: isWhole && found_artifacts.hits.length === 1 ? found_artifacts.hits[0]?.path : undefined,
    isPending: all.some(({ isLoading }) => isLoading),
    error: all.find(({ error }) => error)?.error ?? null,
  }
}

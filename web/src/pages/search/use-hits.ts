// Asks for everything a text could mean, all at once.
import { useQuery } from '@tanstack/react-query'
import { formatCount } from '../../ui/format-count.ts'
import {
  artifactHits,
  controlHits,
  environmentHits,
  flowHits,
  type Hit,
  type HitGroup,
  joined,
  namedArtifactHits,
  namedTrailHits,
  type Place,
  policyHits,
  repoHits,
  trailHits,
} from './hits.ts'
import {
  artifactsByHashQuery,
  artifactsByNameQuery,
  controlsByNameQuery,
  environmentsByNameQuery,
  flowsByNameQuery,
  isHash,
  MOST_OF_A_KIND,
  policiesByNameQuery,
  reposByNameQuery,
  trailsByCommitQuery,
  trailsByNameQuery,
} from './queries.ts'

export interface Found {
  groups: HitGroup[]
  count: number
  /** How many in words, and whether there may be more of them. */
  told: string
  /** The page of the one thing that is meant beyond doubt. */
  exact: Place | undefined
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
  const repos = useQuery(reposByNameQuery(org, text))
  const named_trails = useQuery(trailsByNameQuery(org, text))
  const named_artifacts = useQuery(artifactsByNameQuery(org, text))
  const named = [environments, flows, policies, controls, repos, named_trails, named_artifacts]
  const all = [artifacts, trails, ...named]
  const builds = [
    joined(artifactHits(org, artifacts.data?.artifacts), namedArtifactHits(org, named_artifacts.data)),
    joined(namedTrailHits(org, named_trails.data), trailHits(org, trails.data?.trails)),
  ]
  const others = [
    environmentHits(org, environments.data),
    flowHits(org, flows.data),
    repoHits(org, repos.data),
    policyHits(org, policies.data),
    controlHits(org, controls.data),
  ]
  // A hash means a build. A name means a build last, for there are so many of them.
  const ordered = isHash(text) ? [...builds, ...others] : [...others, ...builds]
  const groups = ordered.filter(group => group.hits.length > 0)
  const hits = groups.flatMap(group => group.hits)
  const isWhole = artifacts.data?.resolved_to.full_match === text.toLowerCase()
  return {
    groups,
    count: hits.length,
    told: toldOf(groups, hits.length),
    exact: meantBeyondDoubt(hits, text, isWhole),
    isPending: all.some(({ isLoading }) => isLoading),
    error: all.find(({ error }) => error)?.error ?? null,
  }
}

/** Of each kind only so many are asked for. */
export const isCut = ({ hits }: HitGroup) => hits.length >= MOST_OF_A_KIND

const toldOf = (groups: HitGroup[], count: number) =>
  groups.some(isCut) ? `The first ${formatCount(count, 'result')}` : formatCount(count, 'result')

/** A whole fingerprint that is one artifact, or a whole name that only one thing has. */
function meantBeyondDoubt(hits: Hit[], text: string, isWhole: boolean): Place | undefined {
  const named = isWhole ? hits : hits.filter(({ name }) => name.toLowerCase() === text.toLowerCase())
  return named.length === 1 ? named[0]?.place : undefined
}

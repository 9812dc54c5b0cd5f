// Runs all searches that a text could mean, in parallel.
import { useQuery } from '@tanstack/react-query'
import { formatCount } from '../../ui/format-count.ts'
import {
  type Hit,
  type HitGroup,
  mergeGroups,
  type Place,
  toArtifactHits,
  toControlHits,
  toEnvironmentHits,
  toFlowHits,
  toNamedArtifactHits,
  toNamedTrailHits,
  toPolicyHits,
  toRepoHits,
  toTrailHits,
} from './hits.ts'
import { toPeopleHits } from './people-hits.ts'
import {
  artifactsByHashQuery,
  artifactsByNameQuery,
  controlsByNameQuery,
  environmentsByNameQuery,
  flowsByNameQuery,
  isHash,
  MAX_PER_KIND,
  peopleByNameQuery,
  policiesByNameQuery,
  reposByNameQuery,
  trailsByCommitQuery,
  trailsByNameQuery,
} from './queries.ts'
import { searchTexts as texts } from './texts.ts'

export interface Found {
  groups: HitGroup[]
  count: number
  /** How many results there are, and whether there may be more. */
  summary: string
  /** The page of the only exact match. */
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
  const people = useQuery(peopleByNameQuery(org, text))
  const repos = useQuery(reposByNameQuery(org, text))
  const named_trails = useQuery(trailsByNameQuery(org, text))
  const named_artifacts = useQuery(artifactsByNameQuery(org, text))
  const named = [environments, flows, policies, controls, people, repos, named_trails, named_artifacts]
  const all = [artifacts, trails, ...named]
  const builds = [
    mergeGroups(
      toArtifactHits(org, artifacts.data?.artifacts),
      toNamedArtifactHits(org, named_artifacts.data),
    ),
    mergeGroups(toNamedTrailHits(org, named_trails.data), toTrailHits(org, trails.data?.trails)),
  ]
  const others = [
    toEnvironmentHits(org, environments.data),
    toFlowHits(org, flows.data),
    toRepoHits(org, repos.data),
    toPolicyHits(org, policies.data),
    toControlHits(org, controls.data),
    toPeopleHits(org, people.data),
  ]
  // A hash is about a build. For a name, builds come last, because there are so many of them.
  const ordered = isHash(text) ? [...builds, ...others] : [...others, ...builds]
  const groups = ordered.filter(group => group.hits.length > 0)
  const hits = groups.flatMap(group => group.hits)
  const isWhole = artifacts.data?.resolved_to.full_match === text.toLowerCase()
  return {
    groups,
    count: hits.length,
    summary: describeCount(groups, hits.length),
    exact: findExact(hits, text, isWhole),
    isPending: all.some(({ isLoading }) => isLoading),
    error: all.find(({ error }) => error)?.error ?? null,
  }
}

/** Whether the server may have more of this kind. */
export const isCut = ({ hits }: HitGroup) => hits.length >= MAX_PER_KIND

const describeCount = (groups: HitGroup[], count: number) =>
  groups.some(isCut)
    ? texts.first(formatCount(count, texts.resultNoun))
    : formatCount(count, texts.resultNoun)

/** A complete fingerprint of one artifact, or a complete name that only one resource has. */
function findExact(hits: Hit[], text: string, isWhole: boolean): Place | undefined {
  const named = isWhole ? hits : hits.filter(({ name }) => name.toLowerCase() === text.toLowerCase())
  return named.length === 1 ? named[0]?.place : undefined
}

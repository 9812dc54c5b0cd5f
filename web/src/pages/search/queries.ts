// What the search asks the server for: artifacts and trails by their hashes, everything else by a part of its name. The
// server knows no names of trails and artifacts to search for, so those are looked for among the newest.
import { queryOptions } from '@tanstack/react-query'
import { ApiProblem, answered, api } from '../../api.ts'
import { policiesQuery } from '../../parts/queries.ts'

/** The least of a hash that the server takes. */
const SHORTEST_HASH = 5
const LONGEST_HASH = 64
const LONGEST_COMMIT = 40
/** Enough to choose from; whoever needs more types more. */
const MOST_OF_A_KIND = 20

/** So many of them are looked through, and looked for again after that time. */
const NEWEST = 50
const NEWEST_FOR_MS = 60_000

/** Told to whoever found nothing. */
export const WHAT_CAN_BE_FOUND =
  `Artifacts and trails are found by the first ${SHORTEST_HASH} characters of a fingerprint or commit; environments, flows, ` +
  `repos, policies and controls by a part of their name, and so are the newest ${NEWEST} trails and artifacts.`

const HASH = /^[0-9a-f]+$/i

export const isHash = (text: string) =>
  HASH.test(text) && text.length >= SHORTEST_HASH && text.length <= LONGEST_HASH

const FINGERPRINT_OF_AN_IMAGE = /^\S*sha256:([0-9a-f]{64})$/i

/** What is meant by what was typed or pasted: of `image@sha256:…` the fingerprint. */
export function meantBy(typed: string): string {
  const text = typed.trim()
  return FINGERPRINT_OF_AN_IMAGE.exec(text)?.[1] ?? text
}

const isCommit = (text: string) => isHash(text) && text.length <= LONGEST_COMMIT

export const artifactsByHashQuery = (org: string, value: string) =>
  queryOptions({
    queryKey: ['search', 'sha', org, value],
    enabled: isHash(value),
    queryFn: async () => {
      try {
        return await answered(api.GET('/search/{org}/sha/{value}', { params: { path: { org, value } } }))
      } catch (error) {
        // That nothing matches is a result here, and no failure.
        if (error instanceof ApiProblem && error.status === 404) return null
        throw error
      }
    },
  })

export const trailsByCommitQuery = (org: string, sha: string) =>
  queryOptions({
    queryKey: ['search', 'commit', org, sha],
    enabled: isCommit(sha),
    queryFn: () =>
      answered(
        api.GET('/search/{org}/commit/{sha}/trails', {
          params: { path: { org, sha }, query: { per_page: MOST_OF_A_KIND } },
        }),
      ),
  })

export const flowsByNameQuery = (org: string, search_by_name: string) =>
  queryOptions({
    queryKey: ['search', 'flows', org, search_by_name],
    enabled: search_by_name !== '',
    queryFn: async () => {
      const query = { search_by_name, page: 1, per_page: MOST_OF_A_KIND }
      const answer = await answered(api.GET('/flows/{org}', { params: { path: { org }, query } }))
      return Array.isArray(answer) ? answer : answer.data
    },
  })

export const environmentsByNameQuery = (org: string, name: string) =>
  queryOptions({
    queryKey: ['search', 'environments', org, name],
    enabled: name !== '',
    queryFn: async () => {
      const query = { name, page: 1, per_page: MOST_OF_A_KIND }
      const answer = await answered(api.GET('/environments/{org}', { params: { path: { org }, query } }))
      return Array.isArray(answer) ? answer : answer.environments
    },
  })

export const controlsByNameQuery = (org: string, search: string) =>
  queryOptions({
    queryKey: ['search', 'controls', org, search],
    enabled: search !== '',
    queryFn: async () => {
      const query = { search, per_page: MOST_OF_A_KIND }
      return (await answered(api.GET('/controls/{org}', { params: { path: { org }, query } }))).controls
    },
  })

export const reposByNameQuery = (org: string, search: string) =>
  queryOptions({
    queryKey: ['search', 'repos', org, search],
    enabled: search !== '',
    queryFn: async () => {
      const query = { search, per_page: MOST_OF_A_KIND }
      return (await answered(api.GET('/repos/{org}', { params: { path: { org }, query } }))).repos
    },
  })

export const newestTrailsQuery = (org: string, name: string) =>
  queryOptions({
    queryKey: ['search', 'newest-trails', org],
    enabled: name !== '',
    staleTime: NEWEST_FOR_MS,
    queryFn: async () => {
      const query = { page: 1, per_page: NEWEST }
      const answer = await answered(api.GET('/trails/{org}', { params: { path: { org }, query } }))
      return Array.isArray(answer) ? answer : answer.data
    },
    select: trails => trails.filter(trail => isPart(name, trail.name)).slice(0, MOST_OF_A_KIND),
  })

export const newestArtifactsQuery = (org: string, name: string) =>
  queryOptions({
    queryKey: ['search', 'newest-artifacts', org],
    enabled: name !== '',
    staleTime: NEWEST_FOR_MS,
    queryFn: () => {
      const query = { page: 1, per_page: NEWEST }
      return answered(api.GET('/artifacts/{org}', { params: { path: { org }, query } }))
    },
    select: artifacts =>
      artifacts.filter(artifact => isPart(name, artifact.filename)).slice(0, MOST_OF_A_KIND),
  })

const isPart = (part: string, name: string) => name.toLowerCase().includes(part.toLowerCase())

/** All of them: the server has no search for policies, and an org has few. */
export const policiesByNameQuery = (org: string, name: string) =>
  queryOptions({
    ...policiesQuery(org),
    enabled: name !== '',
    select: policies => policies.filter(policy => isPart(name, policy.name)).slice(0, MOST_OF_A_KIND),
  })

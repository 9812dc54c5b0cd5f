// What the pages of artifacts, attestations and repositories ask the server for.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { PER_PAGE, type Schemas } from '../../parts/schemas.ts'
import { dropUndefined } from '../../ui/search-params.ts'
import type { AttestationsSearch, ReposSearch } from './routes.ts'

/** An artifact that was reported on more trails than this is shown as the newest of them knows it. */
const MOST_TRAILS = 20
/** As many as the server gives in one page. */
const MOST_DEPLOYMENTS_PER_PAGE = 50
const MOST_DEPLOYMENT_PAGES = 4
const DAY_SECONDS = 24 * 60 * 60

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_SECONDS * 1000).toISOString()

interface ArtifactPath {
  org: string
  flow_name: string
  fingerprint: string
}

const readArtifact = (path: ArtifactPath, trail?: string) =>
  unwrap(
    api.GET('/artifacts/{org}/{flow_name}/fingerprint/{fingerprint}', {
      params: { path, query: { archived: true, ...dropUndefined({ trail }) } },
    }),
  )

/** One fingerprint may be reported on several trails: the id says which report is meant. */
async function readReport(path: ArtifactPath, artifact_id: string | undefined): Promise<Schemas['Artifact']> {
  const newest = await readArtifact(path)
  if (artifact_id === undefined || newest.id === artifact_id) return newest
  const { data } = await unwrap(
    api.GET('/trails/{org}', {
      params: {
        path: { org: path.org },
        query: {
          flow: path.flow_name,
          fingerprint: newest.fingerprint,
          per_page: MOST_TRAILS,
          archived: newest.archived,
        },
      },
    }),
  )
  const reports = await Promise.all(data.map(({ name }) => readArtifact(path, name)))
  return reports.find(({ id }) => id === artifact_id) ?? newest
}

export const artifactQuery = (path: ArtifactPath, artifact_id: string | undefined) =>
  queryOptions({
    queryKey: ['artifact', path, artifact_id],
    queryFn: () => readReport(path, artifact_id),
  })

export const attestationsQuery = (org: string, search: AttestationsSearch) =>
  queryOptions({
    queryKey: ['attestations', org, search],
    placeholderData: keepPreviousData,
    queryFn: () =>
      unwrap(
        api.GET('/attestations/{org}', {
          params: { path: { org }, query: { ...search, per_page: PER_PAGE } },
        }),
      ),
  })

export const reposQuery = (org: string, { name, page = 1 }: ReposSearch) =>
  queryOptions({
    queryKey: ['repos', org, name, page],
    placeholderData: keepPreviousData,
    queryFn: () =>
      unwrap(
        api.GET('/repos/{org}', {
          params: { path: { org }, query: { page, per_page: PER_PAGE, ...dropUndefined({ search: name }) } },
        }),
      ),
  })

export const repoQuery = (org: string, repo_name: string) =>
  queryOptions({
    queryKey: ['repo', org, repo_name],
    queryFn: () => unwrap(api.GET('/repos/{org}/{repo_name}', { params: { path: { org, repo_name } } })),
  })

export const buildsQuery = (org: string, repo_name: string, page: number) =>
  queryOptions({
    queryKey: ['builds', org, repo_name, page],
    placeholderData: keepPreviousData,
    queryFn: () =>
      unwrap(
        api.GET('/artifacts/{org}', {
          params: { path: { org }, query: { repo_name, page, per_page: PER_PAGE } },
        }),
      ),
  })

export const buildFrequencyQuery = (org: string, repo_name: string, days: number) =>
  queryOptions({
    queryKey: ['build frequency', org, repo_name, days],
    queryFn: () => {
      const query = { repo_name, from: daysAgo(days) }
      return unwrap(api.GET('/build-frequency/{org}', { params: { path: { org }, query } }))
    },
  })

interface DeploymentsAsked {
  org: string
  repo_name: string
  days: number
  environment?: string | undefined
  page: number
  per_page: number
}

export const deploymentsQuery = (asked: DeploymentsAsked) =>
  queryOptions({
    queryKey: ['deployments', asked],
    placeholderData: keepPreviousData,
    queryFn: () => {
      const { org, repo_name, days, environment, page, per_page } = asked
      const start_ts = Math.floor(Date.now() / 1000) - days * DAY_SECONDS
      const query = {
        repo_name,
        start_ts,
        page,
        per_page,
        archived: true,
        ...dropUndefined({ env_name: environment }),
      }
      return unwrap(api.GET('/deployments/{org}', { params: { path: { org }, query } }))
    },
  })

/** The newest of the period: enough to know which flows deploy the repository to which environments. */
export const recentDeploymentsQuery = (org: string, repo_name: string, days: number) =>
  deploymentsQuery({ org, repo_name, days, page: 1, per_page: MOST_DEPLOYMENTS_PER_PAGE })

export const frequencyQuery = (org: string, env_name: string, flow_name: string, days: number) =>
  queryOptions({
    queryKey: ['deployment frequency', org, env_name, flow_name, days],
    queryFn: () =>
      unwrap(
        api.GET('/environments/{org}/{env_name}/deployment_frequency', {
          params: { path: { org, env_name }, query: { from: daysAgo(days), flow_name, archived: true } },
        }),
      ),
  })

/** Those of the newest deployments that have not exited since, and how many were looked at. */
export const runningQuery = (org: string, repo_name: string) =>
  queryOptions({
    queryKey: ['running', org, repo_name],
    queryFn: async () => {
      const looked_at: Schemas['Deployment'][] = []
      let total_count = 0
      for (let page = 1; page <= MOST_DEPLOYMENT_PAGES; page++) {
        const query = { repo_name, start_ts: 0, page, per_page: MOST_DEPLOYMENTS_PER_PAGE }
        const answer = await unwrap(api.GET('/deployments/{org}', { params: { path: { org }, query } }))
        looked_at.push(...answer.deployments)
        total_count = answer.total_count
        if (page >= answer.total_pages) break
      }
      const running = looked_at.filter(({ is_running }) => is_running)
      return { running, looked_at_count: looked_at.length, total_count }
    },
  })

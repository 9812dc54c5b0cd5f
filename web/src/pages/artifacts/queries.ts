// API queries of the pages of artifacts, attestations and repositories.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { readServerSeconds } from '../../live/server-clock.ts'
import { PER_PAGE, type Schemas } from '../../parts/schemas.ts'
import { dropUndefined } from '../../ui/search-params.ts'
import type { AttestationsSearch, ReposSearch } from './search.ts'

/** If an artifact is on more trails than this, only reports on the newest ones can be opened by id. */
const MAX_TRAILS = 20
/** The API limit. */
const MAX_DEPLOYMENTS_PER_PAGE = 50
const MAX_DEPLOYMENT_PAGES = 4
const DAY_SECONDS = 24 * 60 * 60

const formatDaysAgo = (days: number) =>
  new Date((readServerSeconds() - days * DAY_SECONDS) * 1000).toISOString()

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

/** A fingerprint may be reported on several trails; the id selects one report. */
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
          per_page: MAX_TRAILS,
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
      const query = { repo_name, from: formatDaysAgo(days) }
      return unwrap(api.GET('/build-frequency/{org}', { params: { path: { org }, query } }))
    },
  })

interface DeploymentsRequest {
  org: string
  repo_name: string
  days: number
  environment?: string | undefined
  page: number
  per_page: number
}

export const deploymentsQuery = (request: DeploymentsRequest) =>
  queryOptions({
    queryKey: ['deployments', request],
    placeholderData: keepPreviousData,
    queryFn: () => {
      const { org, repo_name, days, environment, page, per_page } = request
      const start_ts = Math.floor(readServerSeconds()) - days * DAY_SECONDS
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

/** The newest deployments of the period: enough to know which flows deploy to which environments. */
export const recentDeploymentsQuery = (org: string, repo_name: string, days: number) =>
  deploymentsQuery({ org, repo_name, days, page: 1, per_page: MAX_DEPLOYMENTS_PER_PAGE })

export const frequencyQuery = (org: string, env_name: string, flow_name: string, days: number) =>
  queryOptions({
    queryKey: ['deployment frequency', org, env_name, flow_name, days],
    queryFn: () =>
      unwrap(
        api.GET('/environments/{org}/{env_name}/deployment_frequency', {
          params: {
            path: { org, env_name },
            query: { from: formatDaysAgo(days), flow_name, archived: true },
          },
        }),
      ),
  })

/** The newest deployments that are still running, and how many deployments were checked. */
export const runningQuery = (org: string, repo_name: string) =>
  queryOptions({
    queryKey: ['running', org, repo_name],
    queryFn: async () => {
      const checked: Schemas['Deployment'][] = []
      let total_count = 0
      for (let page = 1; page <= MAX_DEPLOYMENT_PAGES; page++) {
        const query = { repo_name, start_ts: 0, page, per_page: MAX_DEPLOYMENTS_PER_PAGE }
        const answer = await unwrap(api.GET('/deployments/{org}', { params: { path: { org }, query } }))
        checked.push(...answer.deployments)
        total_count = answer.total_count
        if (page >= answer.total_pages) break
      }
      const running = checked.filter(({ is_running }) => is_running)
      return { running, checked_count: checked.length, total_count }
    },
  })

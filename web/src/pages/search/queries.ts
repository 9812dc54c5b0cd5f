// Queries of the search: everything by name, artifacts and trails also by hash.
import { queryOptions } from '@tanstack/react-query'
import { ApiProblem, api, unwrap, unwrapWithCount } from '../../api.ts'
import { expectPage } from '../../parts/queries.ts'
import { searchTexts as texts } from './texts.ts'

/** The limits of the server. */
const MIN_HASH_LENGTH = 5
const MAX_HASH_LENGTH = 64
const MAX_COMMIT_LENGTH = 40
/** Enough to choose from; a longer query narrows the results. */
export const MAX_PER_KIND = 20

/** The limit of the server. */
const MAX_NAME_LENGTH = 200

export const SEARCH_HELP = texts.help(MIN_HASH_LENGTH)

const HASH = /^[0-9a-f]+$/i

export const isHash = (text: string) =>
  HASH.test(text) && text.length >= MIN_HASH_LENGTH && text.length <= MAX_HASH_LENGTH

const IMAGE_DIGEST = /^\S*sha256:([0-9a-f]{64})$/i

/** Trims the text, and extracts the fingerprint from `image@sha256:…`. */
export function parseQuery(typed: string): string {
  const text = typed.trim()
  return IMAGE_DIGEST.exec(text)?.[1] ?? text
}

const isCommit = (text: string) => isHash(text) && text.length <= MAX_COMMIT_LENGTH

export const artifactsByHashQuery = (org: string, value: string) =>
  queryOptions({
    queryKey: ['search', 'sha', org, value],
    enabled: isHash(value),
    queryFn: async () => {
      try {
        return await unwrap(api.GET('/search/{org}/sha/{value}', { params: { path: { org, value } } }))
      } catch (error) {
        // No match is a result here, not a failure.
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
      unwrap(
        api.GET('/search/{org}/commit/{sha}/trails', {
          params: { path: { org, sha }, query: { per_page: MAX_PER_KIND } },
        }),
      ),
  })

/** A page of a list and, if the server left out archived items, a page of those. */
async function listWithArchived<Page extends object>(
  fetchPage: (archived: boolean) => Parameters<typeof unwrap<Page>>[0],
) {
  const { answer, archived_count } = await unwrapWithCount(fetchPage(false))
  return [expectPage(answer), ...(archived_count > 0 ? [expectPage(await unwrap(fetchPage(true)))] : [])]
}

export const flowsByNameQuery = (org: string, search_by_name: string) =>
  queryOptions({
    queryKey: ['search', 'flows', org, search_by_name],
    enabled: search_by_name !== '',
    queryFn: async () => {
      const query = { search_by_name, page: 1, per_page: MAX_PER_KIND }
      const pages = await listWithArchived(archived =>
        api.GET('/flows/{org}', { params: { path: { org }, query: { ...query, archived } } }),
      )
      return pages.flatMap(({ data }) => data)
    },
  })

export const environmentsByNameQuery = (org: string, name: string) =>
  queryOptions({
    queryKey: ['search', 'environments', org, name],
    enabled: name !== '',
    queryFn: async () => {
      const query = { name, page: 1, per_page: MAX_PER_KIND }
      const pages = await listWithArchived(archived =>
        api.GET('/environments/{org}', { params: { path: { org }, query: { ...query, archived } } }),
      )
      return pages.flatMap(({ environments }) => environments)
    },
  })

export const policiesByNameQuery = (org: string, search_by_name: string) =>
  queryOptions({
    queryKey: ['search', 'policies', org, search_by_name],
    enabled: search_by_name !== '',
    queryFn: async () => {
      const query = { search_by_name, case_sensitive: false, page: 1, per_page: MAX_PER_KIND }
      const pages = await listWithArchived(archived =>
        api.GET('/policies/{org}', { params: { path: { org }, query: { ...query, archived } } }),
      )
      return pages.flatMap(({ data }) => data)
    },
  })

export const controlsByNameQuery = (org: string, search: string) =>
  queryOptions({
    queryKey: ['search', 'controls', org, search],
    enabled: search !== '',
    queryFn: async () => {
      const query = { search, per_page: MAX_PER_KIND }
      return (await unwrap(api.GET('/controls/{org}', { params: { path: { org }, query } }))).controls
    },
  })

export const reposByNameQuery = (org: string, search: string) =>
  queryOptions({
    queryKey: ['search', 'repos', org, search],
    enabled: search !== '',
    queryFn: async () => {
      const query = { search, per_page: MAX_PER_KIND }
      return (await unwrap(api.GET('/repos/{org}', { params: { path: { org }, query } }))).repos
    },
  })

export const peopleByNameQuery = (org: string, search: string) =>
  queryOptions({
    queryKey: ['search', 'people', org, search],
    enabled: isName(search),
    queryFn: async () => {
      const query = { search, page: 1, per_page: MAX_PER_KIND }
      return expectPage(await unwrap(api.GET('/members/{org}', { params: { path: { org }, query } }))).data
    },
  })

const isName = (text: string) => text !== '' && text.length <= MAX_NAME_LENGTH

export const trailsByNameQuery = (org: string, search_by_name: string) =>
  queryOptions({
    queryKey: ['search', 'trails', org, search_by_name],
    enabled: isName(search_by_name),
    queryFn: async () => {
      const query = { search_by_name, page: 1, per_page: MAX_PER_KIND }
      return (await unwrap(api.GET('/trails/{org}', { params: { path: { org }, query } }))).data
    },
  })

export const artifactsByNameQuery = (org: string, search_by_name: string) =>
  queryOptions({
    queryKey: ['search', 'artifacts', org, search_by_name],
    enabled: isName(search_by_name),
    queryFn: () => {
      const query = { search_by_name, page: 1, per_page: MAX_PER_KIND }
      return unwrap(api.GET('/artifacts/{org}', { params: { path: { org }, query } }))
    },
  })

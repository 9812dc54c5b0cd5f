// Queries and changes of the policy pages.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { ApiProblem, api, unwrap, unwrapWithCount } from '../../api.ts'
import { expectPage } from '../../parts/queries.ts'
import { PER_PAGE, type Schemas } from '../../parts/schemas.ts'
import { dropUndefined } from '../../ui/search-params.ts'
import { type Problem, parseProblems } from './problems.ts'
import type { PoliciesSearch } from './search.ts'
import { policiesTexts as texts } from './texts.ts'

export type Policy = Schemas['Policy']
export type Tried = Schemas['PolicyTried']
type Warning = Schemas['PolicyWarning']

/** A policy text that is being edited; `policy` is null for a new policy. */
export interface Draft {
  org: string
  policy: string | null
  policy_yaml: string
}

/** A page of policies with only their latest version, and how many archived ones are left out. */
export const policyPageQuery = (org: string, { name, archived, page = 1 }: PoliciesSearch) =>
  queryOptions({
    queryKey: ['policy page', org, name, archived, page],
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const filters = dropUndefined({ search_by_name: name, archived })
      const query = { page, per_page: PER_PAGE, case_sensitive: false, ...filters }
      const { answer, archived_count } = await unwrapWithCount(
        api.GET('/policies/{org}', { params: { path: { org }, query } }),
      )
      return { ...expectPage(answer), archived_count }
    },
  })

export const policyQuery = (org: string, name: string) =>
  queryOptions({
    queryKey: ['policies', org, name],
    queryFn: () =>
      unwrap(
        api.GET('/policies/{org}/{name}', { params: { path: { org, name }, query: { archived: true } } }),
      ),
  })

/** Tries the draft on no environment, so that the server only validates it. */
export const checkQuery = (draft: Draft) =>
  queryOptions({
    queryKey: ['policy check', draft],
    queryFn: async (): Promise<{ problems: Problem[]; warnings: Warning[] }> => {
      try {
        const { warnings } = await unwrap(requestTry(draft, []))
        return { problems: [], warnings }
      } catch (error) {
        // An invalid text is a result here, not a failure.
        if (!(error instanceof ApiProblem) || error.status !== 400) throw error
        return { problems: parseProblems(error.errors), warnings: [] }
      }
    },
  })

/** Without environments, tries the environments the policy is attached to, or all of them for a new policy. */
export const tryDraft = (draft: Draft, environments: string[]): Promise<Tried> =>
  unwrap(requestTry(draft, environments.length > 0 ? environments : undefined))

/** The changes in one environment. */
export const triedQuery = (draft: Draft, environment: string) =>
  queryOptions({
    queryKey: ['policy tried', draft, environment],
    queryFn: () => tryDraft(draft, [environment]),
    retry: false,
  })

function requestTry({ org, policy, policy_yaml }: Draft, environments: string[] | undefined) {
  const body = { policy_yaml, ...(environments ? { environments } : {}) }
  return policy === null
    ? api.POST('/policies/{org}/try', { params: { path: { org } }, body })
    : api.POST('/policies/{org}/{name}/try', { params: { path: { org, name: policy } }, body })
}

export interface PolicyInput {
  name: string
  description: string
  comment: string
  policy_yaml: string
  /** The version that the edit started from; null for a new policy. */
  base_version: number | null
}

export type PolicyVersion = Policy['versions'][number]

/** Somebody else saved a version since the edit started. */
export class EditConflict extends Error {
  readonly newest: PolicyVersion
  constructor(newest: PolicyVersion) {
    super(texts.save.conflictMessage(newest.created_by, newest.version))
    this.newest = newest
  }
}

/**
 * The server accepts whatever is saved last, so this checks for a newer version first. It also prevents a new policy
 * from becoming a version of an existing one.
 */
export async function savePolicy(org: string, { name, base_version, ...body }: PolicyInput): Promise<void> {
  const params = { path: { org, name } }
  const { data, response } = await api.GET('/policies/{org}/{name}', {
    params: { ...params, query: { archived: true } },
  })
  const newest = data?.versions.at(-1)
  if (data?.archived) throw new ApiProblem(409, texts.save.isArchived(name))
  const exists = texts.save.exists(name)
  if (base_version === null && response.ok) throw new ApiProblem(409, exists, { name: exists })
  if (base_version !== null && newest && newest.version > base_version) throw new EditConflict(newest)
  await unwrap(api.PUT('/policies/{org}/{name}', { params, body }))
}

export async function archivePolicy(org: string, name: string): Promise<void> {
  await unwrap(api.PUT('/policies/{org}/{name}/archive', { params: { path: { org, name } } }))
}

export async function attachPolicy(org: string, env_name: string, policy: string): Promise<void> {
  await unwrap(
    api.POST('/environments/{org}/{env_name}/policies', {
      params: { path: { org, env_name } },
      body: { policy_names: [policy] },
    }),
  )
}

export async function detachPolicy(org: string, env_name: string, policy: string): Promise<void> {
  await unwrap(
    api.DELETE('/environments/{org}/{env_name}/policies', {
      params: { path: { org, env_name } },
      body: { policy_names: [policy] },
    }),
  )
}

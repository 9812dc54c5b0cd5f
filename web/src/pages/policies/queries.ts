// What the pages of policies ask the server for, and what they tell it.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { ApiProblem, api, unwrap, unwrapWithCount } from '../../api.ts'
import { expectPage } from '../../parts/queries.ts'
import { PER_PAGE, type Schemas } from '../../parts/schemas.ts'
import { dropUndefined } from '../../ui/search-params.ts'
import { type Problem, parseProblems } from './problems.ts'
import type { PoliciesSearch } from './routes.ts'

export type Policy = Schemas['Policy']
export type Tried = Schemas['PolicyTried']
type Warning = Schemas['PolicyWarning']

/** A text that is written; `policy` is null while it is to become a policy. */
export interface Draft {
  org: string
  policy: string | null
  policy_yaml: string
}

/** Of each only its newest version; and how many archived ones the page leaves out. */
export const policyPageQuery = (org: string, { name, archived, page = 1 }: PoliciesSearch) =>
  queryOptions({
    queryKey: ['policy page', org, name, archived, page],
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const asked = dropUndefined({ search_by_name: name, archived })
      const query = { page, per_page: PER_PAGE, case_sensitive: false, ...asked }
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

/** Tried on nothing: the server only reads the text. */
export const checkQuery = (draft: Draft) =>
  queryOptions({
    queryKey: ['policy check', draft],
    queryFn: async (): Promise<{ problems: Problem[]; warnings: Warning[] }> => {
      try {
        const { warnings } = await unwrap(ask(draft, []))
        return { problems: [], warnings }
      } catch (error) {
        // That the text is wrong is what was asked, and no failure.
        if (!(error instanceof ApiProblem) || error.status !== 400) throw error
        return { problems: parseProblems(error.errors), warnings: [] }
      }
    },
  })

/** Without environments: where the policy is attached, or everywhere for one that is new. */
export const tryDraft = (draft: Draft, environments: string[]): Promise<Tried> =>
  unwrap(ask(draft, environments.length > 0 ? environments : undefined))

/** What it would mean for one environment. */
export const triedQuery = (draft: Draft, environment: string) =>
  queryOptions({
    queryKey: ['policy tried', draft, environment],
    queryFn: () => tryDraft(draft, [environment]),
    retry: false,
  })

function ask({ org, policy, policy_yaml }: Draft, environments: string[] | undefined) {
  const body = { policy_yaml, ...(environments ? { environments } : {}) }
  return policy === null
    ? api.POST('/policies/{org}/try', { params: { path: { org } }, body })
    : api.POST('/policies/{org}/{name}/try', { params: { path: { org, name: policy } }, body })
}

export interface Saving {
  name: string
  description: string
  comment: string
  policy_yaml: string
  /** The version that was on the screen when somebody began to write; null for a policy that is new. */
  begun_at: number | null
}

export type PolicyVersion = Policy['versions'][number]

/** Somebody else has saved while this one was written. */
export class SavedMeanwhile extends Error {
  readonly newest: PolicyVersion
  constructor(newest: PolicyVersion) {
    super(`${newest.created_by} has saved version ${newest.version} meanwhile`)
    this.newest = newest
  }
}

/** The server takes whatever comes last, so this looks first. It also keeps a new one from being a version of another. */
export async function savePolicy(org: string, { name, begun_at, ...body }: Saving): Promise<void> {
  const params = { path: { org, name } }
  const { data, response } = await api.GET('/policies/{org}/{name}', {
    params: { ...params, query: { archived: true } },
  })
  const newest = data?.versions.at(-1)
  if (data?.archived) throw new ApiProblem(409, `The policy '${name}' is archived. Unarchive it first`)
  if (begun_at === null && response.ok) throw new ApiProblem(409, `A policy called '${name}' exists already`)
  if (begun_at !== null && newest && newest.version > begun_at) throw new SavedMeanwhile(newest)
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

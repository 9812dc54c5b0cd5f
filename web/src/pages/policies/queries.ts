// What the pages of policies ask the server for, and what they tell it.
import { queryOptions } from '@tanstack/react-query'
import { ApiProblem, answered, api } from '../../api.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { type Problem, problemsFrom } from './problems.ts'

export type Policy = Schemas['Policy']
export type Tried = Schemas['PolicyTried']
type Warning = Schemas['PolicyWarning']

/** A text that is written; `policy` is null while it is to become a policy. */
export interface Draft {
  org: string
  policy: string | null
  policy_yaml: string
}

export const policyQuery = (org: string, name: string) =>
  queryOptions({
    queryKey: ['policies', org, name],
    queryFn: () => answered(api.GET('/policies/{org}/{name}', { params: { path: { org, name } } })),
  })

/** Tried on nothing: the server only reads the text. */
export const checkQuery = (draft: Draft) =>
  queryOptions({
    queryKey: ['policy check', draft],
    queryFn: async (): Promise<{ problems: Problem[]; warnings: Warning[] }> => {
      try {
        const { warnings } = await answered(ask(draft, []))
        return { problems: [], warnings }
      } catch (error) {
        // That the text is wrong is what was asked, and no failure.
        if (!(error instanceof ApiProblem) || error.status !== 400) throw error
        return { problems: problemsFrom(error.errors), warnings: [] }
      }
    },
  })

/** Without environments: where the policy is attached, or everywhere for one that is new. */
export const tryDraft = (draft: Draft, environments: string[]): Promise<Tried> =>
  answered(ask(draft, environments.length > 0 ? environments : undefined))

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
}

export async function savePolicy(org: string, { name, ...body }: Saving): Promise<void> {
  await answered(api.PUT('/policies/{org}/{name}', { params: { path: { org, name } }, body }))
}

/** Saving would quietly make another version of one that exists. */
export async function createPolicy(org: string, saving: Saving): Promise<void> {
  const path = { org, name: saving.name }
  const { response } = await api.GET('/policies/{org}/{name}', { params: { path } })
  if (response.ok) throw new ApiProblem(409, `A policy called '${saving.name}' exists already`)
  await savePolicy(org, saving)
}

export async function archivePolicy(org: string, name: string): Promise<void> {
  await answered(api.PUT('/policies/{org}/{name}/archive', { params: { path: { org, name } } }))
}

export async function attachPolicy(org: string, env_name: string, policy: string): Promise<void> {
  await answered(
    api.POST('/environments/{org}/{env_name}/policies', {
      params: { path: { org, env_name } },
      body: { policy_names: [policy] },
    }),
  )
}

export async function detachPolicy(org: string, env_name: string, policy: string): Promise<void> {
  await answered(
    api.DELETE('/environments/{org}/{env_name}/policies', {
      params: { path: { org, env_name } },
      body: { policy_names: [policy] },
    }),
  )
}

export async function findControls(org: string, search: string) {
  const query = { per_page: 50, ...(search === '' ? {} : { search }) }
  const { data } = await api.GET('/controls/{org}', { params: { path: { org }, query } })
  // An org without the feature has no controls to offer.
  return data?.controls ?? []
}

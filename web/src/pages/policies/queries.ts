// What the pages of policies ask the server for, and what they tell it.
import { queryOptions } from '@tanstack/react-query'
import type { components } from '@waybill/client'
import { ApiProblem, answered, api } from '../../api.ts'
import { type Problem, problemsFrom } from './problems.ts'

export type Policy = components['schemas']['Policy']
export type Tried = components['schemas']['PolicyTried']
type Warning = components['schemas']['PolicyWarning']

/** A text that is written; `policy` is null while it is to become a policy. */
export interface Draft {
  org: string
  policy: string | null
  policy_yaml: string
}

export const policiesQuery = (org: string) =>
  queryOptions({
    queryKey: ['policies', org],
    queryFn: () => answered(api.GET('/policies/{org}', { params: { path: { org } } })),
  })

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
      const { data, error, response } = await ask(draft, [])
      if (data !== undefined) return { problems: [], warnings: data.warnings }
      const { errors } = (error ?? {}) as { errors?: Record<string, unknown> }
      if (response.status === 400 && errors) return { problems: problemsFrom(errors), warnings: [] }
      throw problemOf(error, response)
    },
  })

/** Without environments: where the policy is attached, or everywhere for one that is new. */
export async function tryDraft(draft: Draft, environments: string[]): Promise<Tried> {
  const { data, error, response } = await ask(draft, environments.length > 0 ? environments : undefined)
  if (data !== undefined) return data
  throw problemOf(error, response)
}

function ask({ org, policy, policy_yaml }: Draft, environments: string[] | undefined) {
  const body = { policy_yaml, ...(environments ? { environments } : {}) }
  return policy === null
    ? api.POST('/policies/{org}/try', { params: { path: { org } }, body })
    : api.POST('/policies/{org}/{name}/try', { params: { path: { org, name: policy } }, body })
}

/** The sentence of the server, and what it says about each field. */
function problemOf(error: unknown, response: Response): ApiProblem {
  const { message = 'The server did not answer as expected', errors = {} } = (error ?? {}) as {
    message?: string
    errors?: Record<string, unknown>
  }
  const details = problemsFrom(errors).map(({ line, message: found }) => `line ${line}: ${found}`)
  return new ApiProblem(response.status, [message, ...details].join('; '))
}

export interface Saving {
  name: string
  description: string
  comment: string
  policy_yaml: string
}

export async function savePolicy(org: string, { name, ...body }: Saving): Promise<void> {
  const { data, error, response } = await api.PUT('/policies/{org}/{name}', {
    params: { path: { org, name } },
    body,
  })
  if (data === undefined) throw problemOf(error, response)
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

// What the pages of more than one resource ask the server for.
import { queryOptions } from '@tanstack/react-query'
import { ApiProblem, api, unwrap } from '../api.ts'

/** Some lists are answered whole, or as a page to whoever asks for one: this is for those who do. */
export function expectPage<Answer extends object>(answer: Answer): Exclude<Answer, readonly unknown[]> {
  if (Array.isArray(answer)) throw new ApiProblem(200, 'The server answered without pages')
  return answer as Exclude<Answer, readonly unknown[]>
}

/** And this is for those who need all of it. */
export function expectList<Answer extends object>(answer: Answer): Extract<Answer, readonly unknown[]> {
  if (!Array.isArray(answer)) throw new ApiProblem(200, 'The server answered a page instead of everything')
  return answer as Extract<Answer, readonly unknown[]>
}

export const environmentsQuery = (org: string) =>
  queryOptions({
    queryKey: ['environments', org],
    queryFn: async () => {
      const answer = await unwrap(api.GET('/environments/{org}', { params: { path: { org } } }))
      return Array.isArray(answer) ? answer : answer.environments
    },
  })

/** Of all of them: for a choice. */
export const flowNamesQuery = (org: string) =>
  queryOptions({
    queryKey: ['flows', org, 'names'],
    queryFn: async () => {
      const answer = await unwrap(api.GET('/flows/{org}', { params: { path: { org } } }))
      return (Array.isArray(answer) ? answer : answer.data).map(({ name }) => name)
    },
  })

/** With all their versions: for choices and comparisons that need every one. */
export const policiesQuery = (org: string) =>
  queryOptions({
    queryKey: ['policies', org],
    queryFn: async () => expectList(await unwrap(api.GET('/policies/{org}', { params: { path: { org } } }))),
  })

export const organizationQuery = (org: string) =>
  queryOptions({
    queryKey: ['organization', org],
    queryFn: () => unwrap(api.GET('/organizations/{org}', { params: { path: { org } } })),
  })

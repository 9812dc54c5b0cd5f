// The environments of an org, as far as policies need them: how they are called and how they stand.
import { queryOptions } from '@tanstack/react-query'
import { answered, api } from '../../api.ts'

export const namesAndStatesQuery = (org: string) =>
  queryOptions({
    queryKey: ['environments', org, 'names and states'],
    queryFn: async () => {
      const answer = await answered(api.GET('/environments/{org}', { params: { path: { org } } }))
      const all = Array.isArray(answer) ? answer : answer.environments
      return all.map(({ name, type, state }) => ({ name, type, state }))
    },
  })

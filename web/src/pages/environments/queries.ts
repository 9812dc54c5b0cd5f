// What the pages of environments ask the server for.
import { queryOptions } from '@tanstack/react-query'
import { answered, api } from '../../api.ts'

export const environmentsQuery = (org: string) =>
  queryOptions({
    queryKey: ['environments', org],
    queryFn: async () => {
      const answer = await answered(api.GET('/environments/{org}', { params: { path: { org } } }))
      return Array.isArray(answer) ? answer : answer.environments
    },
  })

export const snapshotQuery = (org: string, env_name: string, snapshot_expression: string) =>
  queryOptions({
    queryKey: ['snapshot', org, env_name, snapshot_expression],
    queryFn: () =>
      answered(
        api.GET('/snapshots/{org}/{env_name}/{snapshot_expression}', {
          params: { path: { org, env_name, snapshot_expression } },
        }),
      ),
  })

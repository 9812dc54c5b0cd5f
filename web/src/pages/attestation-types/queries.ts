// API queries of the pages of custom attestation types.
import { queryOptions } from '@tanstack/react-query'
import { ApiProblem, api, unwrap, unwrapWithCount } from '../../api.ts'
import { dropUndefined } from '../../ui/search-params.ts'
import { type TypeDraft, toDefinition } from './draft.ts'
import type { TypesSearch } from './search.ts'
import { typeTexts as texts } from './texts.ts'

/** Either all archived types, or all others and the number of archived ones. */
export const typesQuery = (org: string, { archived }: TypesSearch) =>
  queryOptions({
    queryKey: ['attestation types', org, archived],
    queryFn: async () => {
      const query = dropUndefined({ archived })
      const { answer, archived_count } = await unwrapWithCount(
        api.GET('/custom-attestation-types/{org}', { params: { path: { org }, query } }),
      )
      return { types: answer, archived_count }
    },
  })

export const typeQuery = (org: string, name: string) =>
  queryOptions({
    queryKey: ['attestation type', org, name],
    queryFn: () =>
      unwrap(
        api.GET('/custom-attestation-types/{org}/{name}', {
          params: { path: { org, name }, query: { archived: true } },
        }),
      ),
  })

/** The server would create a new version of an existing type, so check first. */
export async function createType(org: string, draft: TypeDraft): Promise<void> {
  const { name, description } = draft
  const { response } = await api.GET('/custom-attestation-types/{org}/{name}', {
    params: { path: { org, name }, query: { archived: true } },
  })
  const exists = texts.create.exists(name)
  if (response.ok) throw new ApiProblem(409, exists, { name: exists })
  const body = { name, ...(description !== '' && { description }), ...toDefinition(draft) }
  await unwrap(api.POST('/custom-attestation-types/{org}', { params: { path: { org } }, body }))
}

export const tryType = (org: string, draft: TypeDraft, attestation_data: unknown) =>
  unwrap(
    api.POST('/custom-attestation-types/{org}/try', {
      params: { path: { org } },
      body: { ...toDefinition(draft), attestation_data },
    }),
  )

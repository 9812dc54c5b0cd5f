// API queries of the pages of flows, trails and attestations.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { ApiProblem, api, unwrap, unwrapWithCount } from '../../api.ts'
import { expectPage } from '../../parts/queries.ts'
import { PER_PAGE, type Schemas } from '../../parts/schemas.ts'
import { dropUndefined } from '../../ui/search-params.ts'
import type { FlowSearch, FlowsSearch } from './search.ts'
import { flowTexts } from './texts.ts'
import { trailTexts as texts } from './texts-trail.ts'

/** One page of flows, and how many archived ones match. */
export const flowsQuery = (org: string, { name, tag, sort, descending, archived, page = 1 }: FlowsSearch) =>
  queryOptions({
    queryKey: ['flows', org, name, tag, sort, descending, archived, page],
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const query = {
        page,
        per_page: PER_PAGE,
        ...dropUndefined({
          search_by_name: name,
          tag: tag === undefined ? undefined : [tag],
          sort,
          archived,
        }),
        ...(descending && { sort_direction: 'desc' as const }),
      }
      const { answer, archived_count } = await unwrapWithCount(
        api.GET('/flows/{org}', { params: { path: { org }, query } }),
      )
      return { ...expectPage(answer), archived_count }
    },
  })

export const flowQuery = (org: string, flow_name: string) =>
  queryOptions({
    queryKey: ['flow', org, flow_name],
    queryFn: () =>
      unwrap(
        api.GET('/flows/{org}/{flow_name}', {
          params: { path: { org, flow_name }, query: { archived: true } },
        }),
      ),
  })

interface TrailsRequest {
  /** Lists trails of archived flows instead of the others. */
  archived: boolean
  flow?: string
  search_by_name?: string
  fingerprint?: string
  state?: NonNullable<FlowSearch['state']>
  page?: number
}

export const trailsQuery = (org: string, { page = 1, ...filter }: TrailsRequest) =>
  queryOptions({
    queryKey: ['trails', org, filter, page],
    placeholderData: keepPreviousData,
    queryFn: () =>
      unwrap(
        api.GET('/trails/{org}', {
          params: { path: { org }, query: { ...filter, page, per_page: PER_PAGE } },
        }),
      ),
  })

export const trailQuery = (org: string, flow_name: string, trail_name: string) =>
  queryOptions({
    queryKey: ['trail', org, flow_name, trail_name],
    queryFn: () =>
      unwrap(
        api.GET('/trails/{org}/{flow_name}/{trail_name}', {
          params: { path: { org, flow_name, trail_name }, query: { archived: true } },
        }),
      ),
  })

export const attestationQuery = (org: string, attestation_id: string) =>
  queryOptions({
    queryKey: ['attestation', org, attestation_id],
    queryFn: async () => {
      const { data } = await unwrap(
        api.GET('/attestations/{org}', { params: { path: { org }, query: { attestation_id } } }),
      )
      const [found] = data
      if (!found) throw new ApiProblem(404, texts.attestation.notFound(attestation_id))
      return found
    },
  })

/** Every report under the same name, for the same artifact or trail. */
export const reportsOfNameQuery = (org: string, attestation: Schemas['Attestation']) =>
  queryOptions({
    queryKey: ['reports of name', org, attestation.attestation_id],
    queryFn: async () => {
      const { flow_name, trail_name, attestation_name, artifact_fingerprint } = attestation
      const all = await unwrap(
        api.GET('/attestations/{org}/{flow_name}/trail/{trail_name}/{attestation_name}', {
          params: { path: { org, flow_name, trail_name, attestation_name }, query: { archived: true } },
        }),
      )
      return all.filter(each => each.artifact_fingerprint === artifact_fingerprint)
    },
  })

export interface NewFlow {
  name: string
  description: string
  template: string
}

/** The server would change an existing flow, so check first. */
export async function createFlow(org: string, { name, description, template }: NewFlow): Promise<void> {
  const { response } = await api.GET('/flows/{org}/{flow_name}', {
    params: { path: { org, flow_name: name }, query: { archived: true } },
  })
  if (response.ok)
    throw new ApiProblem(409, flowTexts.create.exists(name), { name: flowTexts.create.exists(name) })
  await saveTemplate(org, { name, ...(description !== '' && { description }) }, template)
}

/** Sent as a file upload, because the API accepts YAML only that way. */
export const saveTemplate = (org: string, about: { name: string; description?: string }, text: string) =>
  unwrap(
    api.PUT('/flows/{org}/template_file', {
      params: { path: { org } },
      body: { data_json: about, template_file: text },
      bodySerializer: () => {
        const form = new FormData()
        form.append('data_json', JSON.stringify(about))
        form.append('template_file', new Blob([text], { type: 'application/yaml' }), 'template.yml')
        return form
      },
    }),
  )

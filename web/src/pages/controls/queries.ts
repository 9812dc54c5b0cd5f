// API queries and changes of the control pages.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { PER_PAGE, type Schemas } from '../../parts/schemas.ts'
import { getDayEnd, getDayStart } from '../../ui/local-time.ts'
import { dropUndefined } from '../../ui/search-params.ts'
import type { ControlSearch, ControlsSearch } from './search.ts'

export type Control = Schemas['Control']
export type Imported = Schemas['ImportedControlCatalogue']

export const controlsQuery = (org: string, search: ControlsSearch) =>
  queryOptions({
    queryKey: ['controls', org, 'list', search],
    placeholderData: keepPreviousData,
    queryFn: () =>
      unwrap(
        api.GET('/controls/{org}', { params: { path: { org }, query: { ...search, per_page: PER_PAGE } } }),
      ),
  })

export const controlQuery = (org: string, identifier: string) =>
  queryOptions({
    queryKey: ['controls', org, 'one', identifier],
    queryFn: () => unwrap(api.GET('/controls/{org}/{identifier}', { params: { path: { org, identifier } } })),
  })

/** Days are in the reader's time zone: from the start of `from` to the end of `to`. */
export const decisionsQuery = (org: string, identifier: string, search: ControlSearch) => {
  const query = dropUndefined({
    is_compliant: search.is_compliant,
    flow_name: search.flow_name === undefined ? undefined : [search.flow_name],
    from_timestamp: search.from === undefined ? undefined : getDayStart(search.from),
    to_timestamp: search.to === undefined ? undefined : getDayEnd(search.to),
    sort_direction: search.sort_direction,
    cursor: search.cursor,
    per_page: PER_PAGE,
  })
  return queryOptions({
    queryKey: ['controls', org, 'decisions', identifier, query],
    placeholderData: keepPreviousData,
    queryFn: () =>
      unwrap(
        api.GET('/controls/{org}/{identifier}/decisions', { params: { path: { org, identifier }, query } }),
      ),
  })
}

export const decisionQuery = (org: string, identifier: string, decision_id: string) =>
  queryOptions({
    queryKey: ['controls', org, 'decision', identifier, decision_id],
    queryFn: () =>
      unwrap(
        api.GET('/controls/{org}/{identifier}/decisions/{decision_id}', {
          params: { path: { org, identifier, decision_id } },
        }),
      ),
  })

export const coverageQuery = (org: string, identifier: string, search: ControlSearch) => {
  const query = dropUndefined({
    search: search.search,
    covered: search.covered,
    page: search.page,
    per_page: PER_PAGE,
  })
  return queryOptions({
    queryKey: ['controls', org, 'coverage', identifier, query],
    placeholderData: keepPreviousData,
    queryFn: () =>
      unwrap(
        api.GET('/controls/{org}/{identifier}/coverage', { params: { path: { org, identifier }, query } }),
      ),
  })
}

export const versionsQuery = (org: string, identifier: string, page: number) =>
  queryOptions({
    queryKey: ['controls', org, 'versions', identifier, page],
    placeholderData: keepPreviousData,
    queryFn: () =>
      unwrap(
        api.GET('/controls/{org}/{identifier}/versions', {
          params: { path: { org, identifier }, query: { page, per_page: PER_PAGE } },
        }),
      ),
  })

export interface ControlInput {
  identifier: string
  name: string
  description: string
  links: Record<string, string>
}

export async function createControl(org: string, body: ControlInput): Promise<void> {
  await unwrap(api.POST('/controls/{org}', { params: { path: { org } }, body }))
}

export async function editControl(org: string, { identifier, ...body }: ControlInput): Promise<void> {
  const path = { org, identifier }
  await unwrap(api.PUT('/controls/{org}/{identifier}', { params: { path }, body }))
}

export async function toggleArchived(org: string, { identifier, archived }: Control): Promise<void> {
  const params = { path: { org, identifier } }
  await unwrap(
    archived
      ? api.POST('/controls/{org}/{identifier}/unarchive', { params })
      : api.POST('/controls/{org}/{identifier}/archive', { params }),
  )
}

export interface Import {
  catalogue: string
  archive_missing: boolean
  dry_run: boolean
}

export async function importCatalogue(org: string, body: Import): Promise<Imported> {
  return unwrap(api.POST('/control-catalogue/{org}', { params: { path: { org } }, body }))
}

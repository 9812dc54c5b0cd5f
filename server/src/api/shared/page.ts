// Paging: the query parameters, the slice they mean and the envelope of the answer.
import { type Static, Type } from 'typebox'
import { Closed } from './wire.ts'

export const MAX_PAGE = 1_000_000
const MAX_PER_PAGE = 1000
const MAX_PER_LINKED_PAGE = 50
const USUAL_PER_LINKED_PAGE = 15

export const Page = Type.Optional(
  Type.Integer({ minimum: 1, maximum: MAX_PAGE, description: 'Counted from 1' }),
)
export const PerPage = Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PER_PAGE }))

export const Pagination = Closed('Pagination', {
  total: Type.Integer(),
  page: Type.Integer(),
  per_page: Type.Integer(),
  page_count: Type.Integer(),
})

export interface PageRequest {
  page: number
  per_page: number
}

/** The page asked for, or undefined when neither parameter was sent. */
export function readPageRequest(
  query: { page?: number; per_page?: number },
  usual: number,
): PageRequest | undefined {
  if (query.page === undefined && query.per_page === undefined) return undefined
  return { page: query.page ?? 1, per_page: query.per_page ?? usual }
}

export function toSlice({ page, per_page }: PageRequest): { most: number; skip: number } {
  return { most: per_page, skip: (page - 1) * per_page }
}

export function buildPagination({ page, per_page }: PageRequest, total: number) {
  return { total, page, per_page, page_count: Math.ceil(total / per_page) }
}

export const PerLinkedPage = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: MAX_PER_LINKED_PAGE,
    description: `${USUAL_PER_LINKED_PAGE} unless told`,
  }),
)

const Link = Closed('Link', { href: Type.String() })

export const PageLinks = Closed('PageLinks', {
  self: Link,
  first: Link,
  prev: Type.Optional(Link),
  next: Type.Optional(Link),
  last: Link,
})

/** What an envelope with links has besides its list. */
export const LINKED_PAGE = {
  page: Type.Integer(),
  per_page: Type.Integer(),
  total_pages: Type.Integer(),
  total_count: Type.Integer(),
  _links: PageLinks,
}

export function readLinkedPageRequest(query: { page?: number; per_page?: number }): PageRequest {
  return { page: query.page ?? 1, per_page: query.per_page ?? USUAL_PER_LINKED_PAGE }
}

export function buildLinkedEnvelope(
  url: string,
  query: Query,
  { page, per_page }: PageRequest,
  total: number,
) {
  const total_pages = Math.ceil(total / per_page)
  const _links = buildPageLinks(url, query, page, total_pages)
  return { page, per_page, total_pages, total_count: total, _links }
}

type Query = Record<string, string | number | boolean | readonly string[] | undefined>

/** Addresses of this page and of those around it, with everything else that was asked. */
export function buildPageLinks(
  url: string,
  query: Query,
  page: number,
  total_pages: number,
): Static<typeof PageLinks> {
  const linkTo = (changed: Query) => ({ href: withQuery(url, { ...query, ...changed }) })
  const last = Math.max(1, total_pages)
  return {
    self: linkTo({}),
    first: linkTo({ page: 1 }),
    ...(page > 1 ? { prev: linkTo({ page: Math.min(page - 1, last) }) } : {}),
    ...(page < last ? { next: linkTo({ page: page + 1 }) } : {}),
    last: linkTo({ page: last }),
  }
}

/** What `pageHeaders` and `linkHeaders` send, as a contract names it. */
export const PAGE_HEADERS = [
  'Link',
  'X-Total-Count',
  'X-Per-Page',
  'X-Current-Page',
  'X-Total-Pages',
] as const
export const LINK_HEADERS = ['Link', 'X-Per-Page', 'X-Current-Page'] as const

/** For a plain array: how many there are, and where the other pages are. */
export function buildPageHeaders(
  url: string,
  query: Query,
  { page, per_page }: PageRequest,
  total: number,
): Record<string, string> {
  const total_pages = Math.ceil(total / per_page)
  const { self, ...others } = buildPageLinks(url, query, page, total_pages)
  return {
    'x-total-count': String(total),
    'x-per-page': String(per_page),
    'x-current-page': String(page),
    'x-total-pages': String(total_pages),
    link: formatLinkHeader(others),
  }
}

/** The same where counting would cost more than the page: only whether there is another one. */
export function buildLinkHeaders(
  url: string,
  query: Query,
  { page, per_page }: PageRequest,
  has_next: boolean,
): Record<string, string> {
  const { self, last, ...others } = buildPageLinks(url, query, page, has_next ? page + 1 : page)
  return { 'x-per-page': String(per_page), 'x-current-page': String(page), link: formatLinkHeader(others) }
}

function formatLinkHeader(links: Record<string, { href: string }>): string {
  return Object.entries(links)
    .map(([rel, { href }]) => `<${href}>; rel="${rel}"`)
    .join(', ')
}

function withQuery(url: string, query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
  )
  return pairs.length === 0 ? url : `${url}?${new URLSearchParams(pairs)}`
}

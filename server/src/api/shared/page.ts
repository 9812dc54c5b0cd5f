// Paging: query parameters, the slice to read, envelopes, and link headers.
import { type Static, Type } from 'typebox'
import { EXAMPLE_ID } from './examples.ts'
import { about, Closed, Described, Nullable } from './wire.ts'

const MAX_PAGE = 1_000_000
const MAX_PER_PAGE = 1000
const MAX_PER_LINKED_PAGE = 50
const DEFAULT_PER_LINKED_PAGE = 15

export const Page = Type.Optional(
  Type.Integer({ minimum: 1, maximum: MAX_PAGE, ...about('Page number, starting at 1', 1) }),
)
/** For lists that limit their pages themselves. */
export const PerPageUpTo = (maximum: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum, ...about('Maximum number of items per page', 15) }))
export const PerPage = PerPageUpTo(MAX_PER_PAGE)

export const ItemsPerPage = Type.Integer(about('Maximum number of items per page', 15))
export const PageNumber = Type.Integer(about('Page number, starting at 1', 1))
export const PageCount = Type.Integer(about('Number of pages', 4))
export const TotalCount = Type.Integer(about('Number of items on all pages', 57))
export const NextCursor = Nullable(
  Type.String({ description: 'Cursor of the next page; null on the last page' }),
  { examples: [null] },
)
export const Cursor = Type.Optional(Type.String(about('`next` of the previous page', EXAMPLE_ID)))

export const Pagination = Closed(
  'Pagination',
  {
    total: TotalCount,
    page: PageNumber,
    per_page: ItemsPerPage,
    page_count: PageCount,
  },
  about('Position of this page in the list'),
)

export interface PageRequest {
  page: number
  per_page: number
}

/** The requested page, or undefined if neither parameter was sent. */
export function readPageRequest(
  query: { page?: number; per_page?: number },
  default_per_page: number,
): PageRequest | undefined {
  if (query.page === undefined && query.per_page === undefined) return undefined
  return { page: query.page ?? 1, per_page: query.per_page ?? default_per_page }
}

/** The rows of a list to read. */
export interface Slice {
  /** Null for all. */
  limit: number | null
  offset: number
}

export function toSlice({ page, per_page }: PageRequest): { limit: number; offset: number } {
  return { limit: per_page, offset: (page - 1) * per_page }
}

export function buildPagination({ page, per_page }: PageRequest, total: number) {
  return { total, page, per_page, page_count: Math.ceil(total / per_page) }
}

export const PerLinkedPage = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: MAX_PER_LINKED_PAGE,
    ...about(`Maximum number of items per page; defaults to ${DEFAULT_PER_LINKED_PAGE}`, 15),
  }),
)

export const Link = Closed('Link', {
  href: Type.String(about('The URL', 'https://waybill.example.com/api/v2/flows/acme?page=2')),
})

export const PageLinks = Closed(
  'PageLinks',
  {
    self: Described(Link, 'This page'),
    first: Described(Link, 'The first page'),
    prev: Type.Optional(Described(Link, 'The previous page; absent on the first page')),
    next: Type.Optional(Described(Link, 'The next page; absent on the last page')),
    last: Described(Link, 'The last page'),
  },
  about('Links to this resource and related ones'),
)

/** The fields of an envelope with links, without its list. */
export const LINKED_PAGE = {
  page: PageNumber,
  per_page: ItemsPerPage,
  total_pages: PageCount,
  total_count: TotalCount,
  _links: PageLinks,
}

export function readLinkedPageRequest(query: { page?: number; per_page?: number }): PageRequest {
  return { page: query.page ?? 1, per_page: query.per_page ?? DEFAULT_PER_LINKED_PAGE }
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

/** URLs of this page and of the other pages, with all other query parameters kept. */
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

/** The headers of `buildPageHeaders` and `buildLinkHeaders`, as contracts declare them. */
export const PAGE_HEADERS = [
  'Link',
  'X-Total-Count',
  'X-Per-Page',
  'X-Current-Page',
  'X-Total-Pages',
] as const
export const LINK_HEADERS = ['Link', 'X-Per-Page', 'X-Current-Page'] as const

/** For a response that is a plain array: the totals, and links to the other pages. */
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

/**
 * Like `buildPageHeaders` without totals, for lists that are too expensive to count: links only to the next page, if
 * any.
 */
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

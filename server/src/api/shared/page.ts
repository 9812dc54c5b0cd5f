// Paging: the query parameters, the slice they mean and the envelope of the answer.
import { Type } from 'typebox'
import { Closed } from './wire.ts'

export const MAX_PAGE = 1_000_000
const MAX_PER_PAGE = 1000

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
export function pageOf(query: { page?: number; per_page?: number }, usual: number): PageRequest | undefined {
  if (query.page === undefined && query.per_page === undefined) return undefined
  return { page: query.page ?? 1, per_page: query.per_page ?? usual }
}

export function sliceOf({ page, per_page }: PageRequest): { most: number; skip: number } {
  return { most: per_page, skip: (page - 1) * per_page }
}

export function paginationOf({ page, per_page }: PageRequest, total: number) {
  return { total, page, per_page, page_count: Math.ceil(total / per_page) }
}

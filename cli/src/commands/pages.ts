// Lists that come in pages. Some operations return a list, others a list with its place among the pages.

export type Paged<T> = readonly T[] | { data: readonly T[]; pagination?: Pagination }

interface Pagination {
  page?: number
  page_count?: number
  total?: number
}

export function toItems<T>(found: Paged<T>): readonly T[] {
  return 'data' in found ? found.data : found
}

/** Adds which page it is, if the answer says it. */
export function describePage<T>(found: Paged<T>, table: string): string {
  const { page, page_count, total } = 'data' in found ? (found.pagination ?? {}) : {}
  if (page === undefined || page_count === undefined || toItems(found).length === 0) return table
  return `${table}\nPage ${page} of ${page_count}, ${total} in all`
}

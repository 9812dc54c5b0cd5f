// Paged lists. Some operations return a plain list, others a list with paging information.

export interface Page<T> {
  items: readonly T[]
  page?: number | undefined
  page_count?: number | undefined
  total?: number | undefined
}

/** The ways in which the API reports the page. */
interface Wire {
  pagination?: { page?: number; page_count?: number; total?: number }
  page?: number
  total_pages?: number
  total_count?: number
}

/** `key` names the field of the list in a response that contains more. */
export function readPage<T>(found: unknown, key: string): Page<T> {
  if (Array.isArray(found)) return { items: found }
  const { [key]: items, ...place } = found as Record<string, unknown>
  const { pagination, page, total_pages, total_count } = place as Wire
  return {
    items: items as T[],
    page: pagination?.page ?? page,
    page_count: pagination?.page_count ?? total_pages,
    total: pagination?.total ?? total_count,
  }
}

/** Adds the page number if the response contains it. */
export function describePage({ items, page, page_count, total }: Page<unknown>, table: string): string {
  if (page === undefined || page_count === undefined || items.length === 0) return table
  return `${table}\nPage ${page} of ${page_count}, ${total} in all`
}

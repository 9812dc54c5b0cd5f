// Lists that come in pages. Some operations return a list, others a list with its place among the pages.

export interface Page<T> {
  items: readonly T[]
  page?: number | undefined
  page_count?: number | undefined
  total?: number | undefined
}

/** The forms in which the API says which page it is. */
interface Wire {
  pagination?: { page?: number; page_count?: number; total?: number }
  page?: number
  total_pages?: number
  total_count?: number
}

/** `key` names the list in an answer that holds more than the list. */
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

/** Adds which page it is, if the answer says it. */
export function describePage({ items, page, page_count, total }: Page<unknown>, table: string): string {
  if (page === undefined || page_count === undefined || items.length === 0) return table
  return `${table}\nPage ${page} of ${page_count}, ${total} in all`
}

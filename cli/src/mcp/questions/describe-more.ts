// Explains how to ask for the next page of an answer.
import type { Page } from '../../commands/pages.ts'

export function describeMore({ page, page_count, total }: Page<unknown>): string | undefined {
  if (page === undefined || page_count === undefined || page >= page_count) return undefined
  return `Page ${page} of ${page_count} (${total} in all). Ask with page ${page + 1} for more.`
}

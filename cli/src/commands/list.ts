// Reads a list from the API and shows it as a table.
import { formatRows } from '../print/output.ts'
import type { Row } from '../print/table.ts'
import type { Context } from '../program/context.ts'
import { describePage, readPage } from './pages.ts'
import { type Reading, readAndShow } from './read.ts'

export interface ListView<T> {
  /** The field of the answer that holds the list, if the answer is not the list itself. */
  key?: string
  head: readonly string[]
  toRow(item: T): Row
  /** The value that `--quiet` prints for an item. */
  toName(item: T): string
  /** Printed instead of an empty table. */
  nothing: string
}

export async function readAndList<T>(
  context: Context,
  reading: Reading,
  { key = 'data', head, toRow, toName, nothing }: ListView<T>,
): Promise<undefined> {
  return readAndShow<unknown>(context, reading, found => {
    const page = readPage<T>(found, key)
    return {
      items: page.items,
      names: page.items.map(toName),
      text: describePage(page, formatRows(head, page.items.map(toRow), nothing)),
    }
  })
}

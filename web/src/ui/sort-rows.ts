// The columns of a table, and the order of its rows.
import type { ReactNode } from 'react'

export type Order = 'ascending' | 'descending'

export interface Sort {
  /** The direction of a column. */
  key: string
  order: Order
}

export interface Column<Row> {
  title: string
  render: (row: Row) => ReactNode
  /** The value that the table sorts by; rows without one come last. */
  sortBy?: (row: Row) => string | number | null | undefined
  /** The server's name for the order by this column. */
  key?: string
  /** The order of the first click: times usually start with the newest. */
  first?: Order
}

const TEXT_ORDER = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** Rows with equal values keep their order, and so do all rows without a sort. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: Sort | undefined,
): readonly Row[] {
  const sortBy = columns.find(({ title, key = title }) => key === sort?.key)?.sortBy
  if (sort === undefined || sortBy === undefined) return rows
  const sign = sort.order === 'ascending' ? 1 : -1
  return rows.toSorted((a, b) => compareValues(sortBy(a), sortBy(b), sign))
}

type Value = string | number | null | undefined

function compareValues(a: Value, b: Value, sign: number): number {
  const [isAEmpty, isBEmpty] = [isEmpty(a), isEmpty(b)]
  if (isAEmpty || isBEmpty) return Number(isAEmpty) - Number(isBEmpty)
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b)
  return sign * TEXT_ORDER.compare(String(a), String(b))
}

const isEmpty = (value: Value) => value === null || value === undefined || value === ''

/** A new column starts with its first order; a click on the same one reverses it. */
export function flipSort(sort: Sort | undefined, key: string, first: Order = 'ascending'): Sort {
  if (sort?.key !== key) return { key, order: first }
  return { key, order: sort.order === 'ascending' ? 'descending' : 'ascending' }
}

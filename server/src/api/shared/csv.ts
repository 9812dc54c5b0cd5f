// Rows as CSV text that a spreadsheet cannot be made to run: what it would take for a formula has an apostrophe before it.
import { stringify } from 'csv-stringify/sync'

export type Cell = string | number

export function formatCsv(rows: readonly (readonly Cell[])[]): string {
  return stringify(
    rows.map(row => row.map(escapeCell)),
    { escape_formulas: true },
  )
}

/** What follows a line feed at the beginning could be taken for a formula; the library looks for other characters. */
function escapeCell(cell: Cell): Cell {
  return typeof cell === 'string' && cell.startsWith('\n') ? `'${cell}` : cell
}

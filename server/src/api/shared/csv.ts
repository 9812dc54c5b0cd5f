// CSV output that is safe to open in a spreadsheet: an apostrophe precedes every cell that would run as a formula.
import { stringify } from 'csv-stringify/sync'

export type Cell = string | number

export function formatCsv(rows: readonly (readonly Cell[])[]): string {
  return stringify(
    rows.map(row => row.map(escapeCell)),
    { escape_formulas: true },
  )
}

/** Text after a leading line feed can run as a formula too, and the library does not check for that. */
function escapeCell(cell: Cell): Cell {
  return typeof cell === 'string' && cell.startsWith('\n') ? `'${cell}` : cell
}

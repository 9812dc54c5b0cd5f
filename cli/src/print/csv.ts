// CSV with one line for each item, safe to open in a spreadsheet: an apostrophe precedes every text that would run as a formula.
import { escapeControls } from './table.ts'

const FORMULA = /^[=+\-@\t\r\n]/

/** The columns are the fields of the items, in the order in which they first appear. */
export function formatCsv(items: readonly unknown[]): string {
  const rows = items.map(item => (isObject(item) ? item : { value: item }))
  const columns = [...new Set(rows.flatMap(row => Object.keys(row)))]
  const lines = rows.map(row => columns.map(column => formatCell(row[column])))
  return [columns.map(formatCell), ...lines].map(cells => `${cells.join(',')}\n`).join('')
}

/** Objects and lists are JSON. Null and a missing value are empty. */
function formatCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = escapeControls(FORMULA.test(text) ? `'${text}` : text)
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const isObject = (item: unknown): item is Readonly<Record<string, unknown>> =>
  typeof item === 'object' && item !== null && !Array.isArray(item)

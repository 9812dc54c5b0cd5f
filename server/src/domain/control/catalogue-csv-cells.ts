// CSV as in RFC 4180: parses text into cells with their positions, or reports the first error; and writes cells that
// no spreadsheet runs as formulas. Cells that look like a formula get a leading apostrophe, which the parser removes
// again.
import { CsvError, type CsvErrorCode, type Options, parse } from 'csv-parse/sync'

interface Place {
  line: number
  column: number
}

export interface Cell extends Place {
  text: string
}

export type ParsedCells = { ok: true; rows: Cell[][] } | ({ ok: false; sentence: string } & Place)

const BYTE_ORDER_MARK = '\ufeff'
const LINE_BREAK = /\r\n|\n|\r/
// Matches characters that start a formula and those a spreadsheet skips before one. Leading apostrophes are included,
// so that an apostrophe in the original text can be distinguished from an added one.
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/** Skips empty lines. Stops at the first row past `max.rows`, so that the caller can see that there are more. */
export function parseCells(text: string, max: { rows: number; cells: number }): ParsedCells {
  const cursor: Cursor = { at: text.startsWith(BYTE_ORDER_MARK) ? 1 : 0, line: 1, column: 1 }
  // The last of too many cells gets the rest of its line, so that a huge line does not become a huge list.
  const limits = { to: max.rows + 1, ignore_last_delimiters: max.cells + 1 }
  const { records, code } = parseRecords(text.slice(cursor.at), limits)
  const rows = records.map(record => locateCells(text, cursor, record))
  const extra = rows.find(row => row.length > max.cells)?.[max.cells]
  if (extra) return { ok: false, ...describeExtra(extra, max.cells) }
  if (code === undefined) return { ok: true, rows }
  const cells = moveToError(text, cursor, limits)
  if (cells === max.cells) return { ok: false, ...describeExtra(cursor, max.cells) }
  return { ok: false, ...describeError(code, text, cursor) }
}

export function formatCells(rows: readonly (readonly string[])[]): string {
  return rows.map(row => `${row.map(cell => quoteCell(escapeFormula(cell))).join(',')}\n`).join('')
}

interface Records {
  /** If there is an error, the records before it. */
  records: string[][]
  code: CsvErrorCode | undefined
}

function parseRecords(text: string, options: Options): Records {
  const records: string[][] = []
  try {
    parse(text, {
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      ...options,
      on_record: record => void records.push(record),
    })
    return { records, code: undefined }
  } catch (error) {
    if (error instanceof CsvError) return { records, code: error.code }
    throw error
  }
}

/** The library does not report where a cell is. That follows from the text and the parsed cells. */
interface Cursor extends Place {
  /** Offset in the text. */
  at: number
}

/** Moves from the end of the previous row to the end of this one. */
function locateCells(text: string, cursor: Cursor, record: readonly string[]): Cell[] {
  moveTo(text, cursor, findRow(text, cursor.at))
  return record.map((cell, index) => {
    if (index > 0) moveTo(text, cursor, cursor.at + 1)
    const { line, column } = cursor
    moveTo(text, cursor, findEnd(text, cursor.at, cell))
    return { text: unescapeFormula(cell), line, column }
  })
}

/** Moves from the end of the last row to the cell with the error, and returns how many cells are before it. */
function moveToError(text: string, cursor: Cursor, limits: Options): number {
  moveTo(text, cursor, findRow(text, cursor.at))
  const cells: string[] = []
  parseRecords(text.slice(cursor.at), { ...limits, cast: cell => void cells.push(cell) })
  for (const cell of cells) moveTo(text, cursor, findEnd(text, cursor.at, cell) + 1)
  return cells.length
}

function moveTo(text: string, cursor: Cursor, at: number): void {
  const lines = text.slice(cursor.at, at).split(LINE_BREAK)
  if (lines.length > 1) cursor.column = 1
  cursor.line += lines.length - 1
  cursor.column += lines.at(-1)?.length ?? 0
  cursor.at = at
}

function findRow(text: string, from: number): number {
  let at = from
  while (text[at] === '\r' || text[at] === '\n') at += 1
  return at
}

/** A quoted cell is longer by its own quotes and by those that are doubled. */
function findEnd(text: string, start: number, cell: string): number {
  const quotes = text[start] === '"' ? 2 + cell.split('"').length - 1 : 0
  return start + cell.length + quotes
}

function describeExtra({ line, column }: Place, max_cells: number): Place & { sentence: string } {
  return { sentence: `Row should have at most ${max_cells} cells`, line, column }
}

/** All errors are about quotes. The cursor is at the start of the cell. */
function describeError(code: CsvErrorCode, text: string, cursor: Cursor): Place & { sentence: string } {
  let sentence = 'The quote is never closed'
  if (code === 'CSV_INVALID_CLOSING_QUOTE') {
    sentence = 'A comma or the end of the line should follow the quote'
    moveTo(text, cursor, findClosingQuote(text, cursor.at) + 1)
  } else if (code !== 'CSV_QUOTE_NOT_CLOSED') {
    sentence = 'A cell with a quote in it should be quoted'
    moveTo(text, cursor, text.indexOf('"', cursor.at))
  }
  return { sentence, line: cursor.line, column: cursor.column }
}

/** A doubled quote does not close the cell. */
function findClosingQuote(text: string, start: number): number {
  let at = text.indexOf('"', start + 1)
  while (text[at + 1] === '"') at = text.indexOf('"', at + 2)
  return at
}

function escapeFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

function unescapeFormula(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text
}

function quoteCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

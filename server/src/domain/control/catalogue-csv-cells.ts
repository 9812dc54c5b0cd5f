// CSV as in RFC 4180: parses text into cells with their positions, or reports the first error; and writes cells that
// no spreadsheet runs as formulas. Cells that look like a formula get a leading apostrophe, which the parser removes
// again.

export interface Cell {
  text: string
  line: number
  column: number
}

export type ParsedCells =
  | { ok: true; rows: Cell[][] }
  | { ok: false; sentence: string; line: number; column: number }

const BYTE_ORDER_MARK = '\ufeff'
// Matches characters that start a formula and those a spreadsheet skips before one. Leading apostrophes are included,
// so that an apostrophe in the original text can be distinguished from an added one.
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/** Skips empty lines. Stops at the first row past `max.rows`, so that the caller can see that there are more. */
export function parseCells(text: string, max: { rows: number; cells: number }): ParsedCells {
  const rows: Cell[][] = []
  let row: Cell[] = []
  let at = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0
  const lines = { line: 1, start: at }
  for (;;) {
    const place = { line: lines.line, column: at - lines.start + 1 }
    const read = text[at] === '"' ? readQuotedCell(text, at) : readPlainCell(text, at)
    if ('sentence' in read)
      return { ok: false, sentence: read.sentence, ...computePlace(text, lines, read.at) }
    row.push({ text: unescapeFormula(read.text), ...place })
    if (row.length > max.cells) {
      return { ok: false, sentence: `Row should have at most ${max.cells} cells`, ...place }
    }
    advanceLines(text, lines, at, read.end)
    at = read.end
    if (text[at] === ',') {
      at += 1
      continue
    }
    if (row.length > 1 || row[0]?.text !== '') rows.push(row)
    row = []
    if (at >= text.length || rows.length > max.rows) return { ok: true, rows }
    at += text.startsWith('\r\n', at) ? 2 : 1
    lines.line += 1
    lines.start = at
    if (at >= text.length) return { ok: true, rows }
  }
}

export function formatCells(rows: readonly (readonly string[])[]): string {
  return rows.map(row => `${row.map(cell => quoteCell(escapeFormula(cell))).join(',')}\n`).join('')
}

type CellResult = { text: string; end: number } | { sentence: string; at: number }

function readPlainCell(text: string, start: number): CellResult {
  let end = start
  while (end < text.length && !',\r\n'.includes(text[end] as string)) {
    if (text[end] === '"') return { sentence: 'A cell with a quote in it should be quoted', at: end }
    end += 1
  }
  return { text: text.slice(start, end), end }
}

function readQuotedCell(text: string, start: number): CellResult {
  let end = start + 1
  for (;;) {
    end = text.indexOf('"', end)
    if (end < 0) return { sentence: 'The quote is never closed', at: start }
    if (text[end + 1] !== '"') break
    end += 2
  }
  const after = text[end + 1]
  if (after !== undefined && !',\r\n'.includes(after)) {
    return { sentence: 'A comma or the end of the line should follow the quote', at: end + 1 }
  }
  return { text: text.slice(start + 1, end).replaceAll('""', '"'), end: end + 1 }
}

interface Lines {
  line: number
  /** Offset at which the line begins. */
  start: number
}

function advanceLines(text: string, lines: Lines, from: number, to: number): void {
  for (let end = text.indexOf('\n', from); end >= 0 && end < to; end = text.indexOf('\n', end + 1)) {
    lines.line += 1
    lines.start = end + 1
  }
}

function computePlace(text: string, { ...lines }: Lines, at: number): { line: number; column: number } {
  advanceLines(text, lines, lines.start, at)
  return { line: lines.line, column: at - lines.start + 1 }
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

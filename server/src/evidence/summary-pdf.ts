// The summary of an audit package as a PDF, with the same facts as the HTML page. Everything from senders is plain
// text, and only web addresses become links.

import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { isWebAddress, type Summary, type SummaryTable, type SummaryValue } from './summary-page.ts'

type Pdf = PDFKit.PDFDocument

const MARGIN = 56
const FOOTER_HEIGHT = 24
const LABEL_WIDTH = 110
const SIZES = { title: 18, caption: 13, text: 9, footer: 8 } as const
const FONT = 'Helvetica'
const BOLD = 'Helvetica-Bold'
const GREY = '#555555'
const LINE = '#bbbbbb'
/** Yields to the event loop after this much text. */
const CHARACTERS_PER_TURN = 10_000
/** Longer values are truncated with a note: nobody reads a page-long value, and the package has all of it. */
const MAX_VALUE_CHARACTERS = 5_000
/** Longer words are split here, because the library processes such a word again for each of its lines. */
const MAX_WORD_CHARACTERS = 150
const WORD_PIECE_CHARACTERS = 75

/** `address` is the URL of the service, printed on every page next to the page number. */
export async function renderSummaryPdf(summary: Summary, address: string, now: Date): Promise<Readable> {
  // Loaded on first use, so that it does not slow down the start.
  const { default: PDFDocument } = await import('pdfkit')
  const doc = new PDFDocument({
    size: 'A4',
    margins: { top: MARGIN, left: MARGIN, right: MARGIN, bottom: MARGIN + FOOTER_HEIGHT },
    bufferPages: true,
    lang: 'en',
    displayTitle: true,
    info: { Title: toPrintable(summary.title), Author: toPrintable(address), CreationDate: now },
  })
  doc
    .font(BOLD)
    .fontSize(SIZES.title)
    .text(breakWords(toPrintable(summary.title)))
  doc.moveDown()
  for (const [label, value] of summary.facts) writeFact(doc, label, value)
  for (const table of summary.tables) await writeTable(doc, table)
  writeFooters(doc, address)
  doc.end()
  return doc
}

/** Each row is a block of lines, because eight columns of hashes and names do not fit side by side. */
async function writeTable(doc: Pdf, { caption, columns, rows }: SummaryTable): Promise<void> {
  doc.moveDown().font(BOLD).fontSize(SIZES.caption).text(toPrintable(caption), MARGIN)
  if (rows.length === 0) doc.font(FONT).fontSize(SIZES.text).text('none', MARGIN)
  let written = 0
  for (const row of rows) {
    for (const value of row) written += (typeof value === 'string' ? value : value.text).length
    if (written > CHARACTERS_PER_TURN) {
      written = 0
      await setImmediate()
    }
    doc.moveDown(0.5)
    if (doc.y > doc.page.maxY() - 4 * SIZES.text) doc.addPage()
    drawRule(doc)
    for (const [column, value] of row.entries()) writeFact(doc, columns[column] ?? '', value)
  }
}

function drawRule(doc: Pdf): void {
  const right = doc.page.width - MARGIN
  doc.moveTo(MARGIN, doc.y).lineTo(right, doc.y).lineWidth(0.5).stroke(LINE).moveDown(0.3)
}

function writeFact(doc: Pdf, label: string, value: SummaryValue): void {
  const text = breakWords(toPrintable(typeof value === 'string' ? value : value.text))
  const link = typeof value !== 'string' && isWebAddress(value.href) ? { link: value.href } : {}
  const left = MARGIN + LABEL_WIDTH
  const width = doc.page.width - MARGIN - left
  doc.fontSize(SIZES.text)
  // A long value continues on the next page, but its label must stay with the first line.
  if (doc.y + doc.heightOfString('x') > doc.page.maxY()) doc.addPage()
  const top = doc.y
  doc
    .font(FONT)
    .fillColor(GREY)
    .text(toPrintable(label), MARGIN, top, { width: LABEL_WIDTH - 8, lineBreak: false })
  doc.fillColor('black').text(text === '' ? '-' : text, left, top, { width, ...link })
}

function writeFooters(doc: Pdf, address: string): void {
  const { start, count } = doc.bufferedPageRange()
  for (let page = start; page < start + count; page++) {
    doc.switchToPage(page)
    // The footer is below the margin, where text would otherwise start a new page.
    doc.page.margins.bottom = 0
    const y = doc.page.height - MARGIN
    const width = doc.page.width - 2 * MARGIN
    const number = `Page ${page - start + 1} of ${count}`
    doc.font(FONT).fontSize(SIZES.footer).fillColor(GREY)
    doc.text(shortenAddress(toPrintable(address)), MARGIN, y, { width, lineBreak: false })
    doc.text(number, MARGIN, y, { width, align: 'right', lineBreak: false })
  }
}

const MAX_ADDRESS_CHARACTERS = 90
const shortenAddress = (text: string): string =>
  text.length > MAX_ADDRESS_CHARACTERS ? `${text.slice(0, MAX_ADDRESS_CHARACTERS)}...` : text

/** Everything that the standard PDF fonts lack: they only have the characters of Windows-1252. */
const UNPRINTABLE = /[^\x20-\x7e\xa0-\xff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]/gu

/** Replaces unprintable characters by their code point. */
export function toPrintable(text: string): string {
  return truncateValue(text)
    .replaceAll(/\s*[\r\n\u2028\u2029]+\s*/g, ' ')
    .replaceAll(UNPRINTABLE, character => {
      const code = character.codePointAt(0) ?? 0
      return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`
    })
}

function truncateValue(text: string): string {
  if (text.length <= MAX_VALUE_CHARACTERS) return text
  return `${text.slice(0, MAX_VALUE_CHARACTERS)} ... (${text.length - MAX_VALUE_CHARACTERS} more characters, in the audit package)`
}

function breakWords(text: string): string {
  return text
    .split(' ')
    .map(word => (word.length > MAX_WORD_CHARACTERS ? splitWord(word).join('\n') : word))
    .join(' ')
}

function splitWord(word: string): string[] {
  const count = Math.ceil(word.length / WORD_PIECE_CHARACTERS)
  return Array.from({ length: count }, (_, i) =>
    word.slice(i * WORD_PIECE_CHARACTERS, (i + 1) * WORD_PIECE_CHARACTERS),
  )
}

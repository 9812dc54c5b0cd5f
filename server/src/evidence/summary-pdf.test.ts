import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { readPdf } from '../../test/pdf.ts'
import type { Summary } from './summary-page.ts'
import { renderSummaryPdf, toPrintable } from './summary-pdf.ts'

const NOW = new Date('2026-03-03T12:00:00Z')
const ADDRESS = 'https://waybill.example.com'

const COLUMNS = ['name', 'verdict']
const makeSummary = (rows: Summary['tables'][number]['rows'], more: Partial<Summary> = {}): Summary => ({
  title: 'Trail run of flow ci',
  facts: [['State', 'COMPLIANT']],
  tables: [{ caption: 'Attestations', columns: COLUMNS, rows }],
  ...more,
})
const renderPages = async (summary: Summary) =>
  readPdf(await buffer((await renderSummaryPdf(summary, ADDRESS, NOW)) as Readable))

/** Joins wrapped lines again, also across pages. */
const joinPages = (pages: readonly string[]) =>
  pages.map(page => page.split('\n').slice(0, -2).join('')).join('')

describe('a summary as a PDF', () => {
  it('has the title, the facts, the rows, the address and the page number', async () => {
    const { pages, title } = await renderPages(makeSummary([['tests', 'COMPLIANT']]))
    expect(pages).toHaveLength(1)
    expect(pages[0]?.split('\n')).toEqual([
      'Trail run of flow ci',
      'State',
      'COMPLIANT',
      'Attestations',
      'name',
      'tests',
      'verdict',
      'COMPLIANT',
      ADDRESS,
      'Page 1 of 1',
    ])
    expect(title).toBe('(Trail run of flow ci)')
  })

  it('marks empty tables', async () => {
    const { pages } = await renderPages(makeSummary([]))
    expect(pages[0]).toContain('Attestations\nnone')
  })

  it('uses as many pages as necessary, each with its number', async () => {
    const rows = Array.from({ length: 300 }, (_, i) => [`row-${i}`, 'COMPLIANT'])
    const { pages } = await renderPages(makeSummary(rows))
    expect(pages.length).toBeGreaterThan(5)
    for (const [index, page] of pages.entries()) {
      expect(page).toContain(`${ADDRESS}\nPage ${index + 1} of ${pages.length}`)
    }
    const found = pages.flatMap(page => page.split('\n')).filter(line => line.startsWith('row-'))
    expect(found).toEqual(rows.map(([name]) => name))
  })

  it('wraps text that is too long for a line, and leaves nothing out', async () => {
    const long = Array.from({ length: 1_000 }, (_, i) => String(i)).join('')
    const words = Array.from({ length: 500 }, () => 'WWWWWWWW').join(' ')
    const { pages } = await renderPages(
      makeSummary([[long, 'W'.repeat(4_000)]], { title: long, facts: [['x', words]] }),
    )
    expect(joinPages(pages)).toContain(long)
    expect(joinPages(pages)).toContain('W'.repeat(4_000))
    expect(pages.length).toBeGreaterThan(2)
  })

  it('truncates very long values with a note', async () => {
    const { pages } = await renderPages(makeSummary([['x'.repeat(700_000), 'COMPLIANT']]))
    expect(joinPages(pages)).toContain('x ... (695000 more characters, in the audit package)')
    expect(pages.length).toBeLessThan(4)
  })

  it.each([
    ['Prüfung “ok” – 3 €', 'Prüfung “ok” – 3 €'],
    ['試験', '[U+8A66][U+9A13]'],
    ['отчёт', '[U+043E][U+0442][U+0447][U+0451][U+0442]'],
    ['🤖', '[U+1F916]'],
    ['a\u202eb\u0000c', 'a[U+202E]b[U+0000]c'],
    ['one\r\n two', 'one two'],
    ['half \ud800', 'half [U+D800]'],
    [') Tj ET (', ') Tj ET ('],
    ['', '-'],
  ])('shows %j as %j', async (written, shown) => {
    const { pages } = await renderPages(makeSummary([[written, 'COMPLIANT']]))
    expect(pages[0]).toContain(`name\n${shown}\nverdict`)
  })

  it('links web addresses and nothing else', async () => {
    const makeLink = (href: string) => ({ text: 'page', href })
    const { links } = await renderPages(
      makeSummary([
        [makeLink('https://waybill.example.com/a?b=c'), 'x'],
        [makeLink('javascript:alert(1)'), 'x'],
      ]),
    )
    expect(links).toEqual(['https://waybill.example.com/a?b=c'])
  })

  it('has the same bytes for the same summary', async () => {
    const renderBytes = async () => buffer(await renderSummaryPdf(makeSummary([['a', 'b']]), ADDRESS, NOW))
    expect((await renderBytes()).equals(await renderBytes())).toBe(true)
  })
})

it('keeps characters that the fonts support', () => {
  const latin = Array.from({ length: 0x5f }, (_, i) => String.fromCharCode(0x20 + i)).join('')
  expect(toPrintable(latin)).toBe(latin)
})

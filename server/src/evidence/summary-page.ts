// The summary page of an audit package: facts and tables as self-contained HTML. Its content comes from senders, so
// everything is escaped, scripts are blocked, and only web addresses become links.

import { escapeHtml } from '../lib/html.ts'
import { parseUrl } from '../lib/url.ts'

export type SummaryValue = string | { text: string; href: string }

export interface SummaryTable {
  caption: string
  columns: readonly string[]
  rows: readonly (readonly SummaryValue[])[]
}

export interface Summary {
  title: string
  facts: readonly (readonly [label: string, value: SummaryValue])[]
  tables: readonly SummaryTable[]
}

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
  table { border-collapse: collapse; margin: 2rem 0; width: 100%; }
  caption { font-weight: bold; text-align: left; }
  th, td { border-bottom: 1px solid #bbb; overflow-wrap: anywhere; padding: .3rem .6rem .3rem 0; }
  th, td { text-align: left; vertical-align: top; }
  th[scope=row] { width: 14rem; }`

export function renderSummaryPage({ title, facts, tables }: Summary): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>${STYLE}
</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${renderFacts(facts)}${tables.map(renderTable).join('')}</main>
</body>
</html>
`
}

function renderFacts(facts: Summary['facts']): string {
  if (facts.length === 0) return ''
  const rows = facts.map(
    ([label, value]) => `<tr><th scope="row">${escapeHtml(label)}</th><td>${renderCell(value)}</td></tr>\n`,
  )
  return `<table>\n${rows.join('')}</table>\n`
}

function renderTable({ caption, columns, rows }: SummaryTable): string {
  const head = columns.map(column => `<th scope="col">${escapeHtml(column)}</th>`).join('')
  const body = rows.map(row => `<tr>${row.map(value => `<td>${renderCell(value)}</td>`).join('')}</tr>\n`)
  const empty = `<tr><td colspan="${columns.length}">none</td></tr>\n`
  return `<table>
<caption>${escapeHtml(caption)}</caption>
<thead><tr>${head}</tr></thead>
<tbody>
${body.join('') || empty}</tbody>
</table>
`
}

function renderCell(value: SummaryValue): string {
  if (typeof value === 'string') return escapeHtml(value)
  const text = escapeHtml(value.text)
  if (!isWebAddress(value.href)) return text
  return `<a href="${escapeHtml(value.href)}" rel="noopener noreferrer">${text}</a>`
}

/** Also checks the parsed URL, because browsers ignore control characters and spaces. */
export function isWebAddress(href: string): boolean {
  return /^https?:\/\//i.test(href) && /^https?:$/.test(parseUrl(href)?.protocol ?? '')
}

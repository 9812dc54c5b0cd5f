import { describe, expect, it } from 'vitest'
import { renderSummaryPage, type SummaryValue } from './summary-page.ts'

const PAYLOADS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</title></style><svg onload=alert(1)>',
  '<!--',
  '&lt;b&gt;',
]

function renderPage(value: SummaryValue): string {
  return renderSummaryPage({
    title: typeof value === 'string' ? value : value.text,
    facts: [[typeof value === 'string' ? value : 'label', value]],
    tables: [{ caption: 'All', columns: ['One', 'Two'], rows: [[value, 'x']] }],
  })
}

/** Every tag of a page with its attributes. */
const listTags = (html: string) => html.match(/<[^>]*>/g) ?? []

describe('a summary page', () => {
  it('shows facts and tables, and marks empty tables', () => {
    const html = renderSummaryPage({
      title: 'Trail build-42',
      facts: [
        ['State', 'COMPLIANT'],
        ['Commit', { text: 'abc', href: 'https://git.example/c/abc?a=1&b=2' }],
      ],
      tables: [
        { caption: 'Attestations', columns: ['Name', 'State'], rows: [['unit-tests', 'COMPLIANT']] },
        { caption: 'Overrides', columns: ['Name', 'Reason'], rows: [] },
      ],
    })
    expect(html).toContain('<h1>Trail build-42</h1>')
    expect(html).toContain('<th scope="row">State</th><td>COMPLIANT</td>')
    expect(html).toContain(
      '<a href="https://git.example/c/abc?a=1&amp;b=2" rel="noopener noreferrer">abc</a>',
    )
    expect(html).toContain('<tr><td>unit-tests</td><td>COMPLIANT</td></tr>')
    expect(html).toContain('<tr><td colspan="2">none</td></tr>')
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
  })

  it.each(PAYLOADS)('shows %s as text', payload => {
    expect(listTags(renderPage(payload))).toEqual(listTags(renderPage('harmless')))
    const linked = { text: payload, href: `https://example.com/${payload}` }
    expect(listTags(renderPage(linked)).filter(tag => !tag.startsWith('<a '))).toEqual(
      listTags(renderPage({ text: 'x', href: 'https://example.com/' })).filter(tag => !tag.startsWith('<a ')),
    )
  })

  it.each([
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'JAVASCRIPT:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    '//example.com',
    'https://',
    '',
  ])('does not link %j', href => expect(renderPage({ text: 'x', href })).not.toContain('<a'))
})

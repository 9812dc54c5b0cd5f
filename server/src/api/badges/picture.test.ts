import { describe, expect, it } from 'vitest'
import { drawBadge, formatMarkdown } from './picture.ts'

/** The relative luminance of WCAG 2. */
function computeLuminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map(at => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

describe('a picture', () => {
  it('has the state as a word and in its title', () => {
    const svg = drawBadge('prod', 'non-compliant')
    expect(svg).toContain('<title>prod: non-compliant</title>')
    expect(svg).toContain('role="img" aria-label="prod: non-compliant"')
    expect(svg).toContain('>non-compliant</text>')
  })

  it('is green only if compliant', () => {
    const colours = (['compliant', 'non-compliant', 'stale', 'unknown'] as const).map(
      state => /<rect [^>]*fill="(#[0-9a-f]{6})"/.exec(drawBadge('x', state))?.[1],
    )
    expect(colours).toEqual(['#1a7f37', '#b42318', '#8a5a00', '#57606a'])
  })

  it.each(['compliant', 'non-compliant', 'stale', 'unknown'] as const)(
    'has a contrast of at least 4.5 if it says %s',
    state => {
      const colours = drawBadge('x', state).match(/fill="#[0-9a-f]{6}"/g) ?? []
      expect(colours).toHaveLength(2)
      for (const colour of colours)
        expect(1.05 / (computeLuminance(colour.slice(6, 13)) + 0.05)).toBeGreaterThanOrEqual(4.5)
    },
  )

  it('escapes what the label contains', () => {
    const svg = drawBadge(`</text><script>alert('1')</script>"&`, 'unknown')
    expect(svg).not.toContain('<script')
    expect(svg).toContain('&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&amp;')
  })

  it('has no character that XML forbids or that hides others, and cuts a long label', () => {
    const svg = drawBadge(`a\u0000\u202e\ud800\n${'b'.repeat(100)}`, 'unknown')
    expect(svg).toContain(`<title>a\ufffd\ufffd\ufffd ${'b'.repeat(42)}…: unknown</title>`)
  })
})

describe('a line of Markdown', () => {
  it('shows the picture, which leads to the page', () => {
    const places = { url: 'https://w.example/b.svg', html_url: 'https://w.example/acme' }
    expect(formatMarkdown('prod', places)).toBe('[![prod](https://w.example/b.svg)](https://w.example/acme)')
    expect(formatMarkdown('a](evil)', places)).toBe(
      String.raw`[![a\]\(evil\)](https://w.example/b.svg)](https://w.example/acme)`,
    )
  })
})

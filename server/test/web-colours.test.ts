// State colours, read from the styles of the web app: enough contrast in light and dark, and no two alike.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../scripts/run/prepare.mjs'

/** WCAG 2.2, level AA: text, and the parts of a picture that carry meaning. */
const MIN_TEXT_CONTRAST = 4.5
const MIN_PICTURE_CONTRAST = 3

const STATES = ['compliant', 'non-compliant', 'unknown', 'stale', 'partial', 'waiting']
/** The theme's background of a page. */
const PAGES = { light: '#ffffff', dark: '#1a1d24' }

const styles = readFileSync(join(root, 'web/src/styles.css'), 'utf8')
const theme = readFileSync(join(root, 'web/src/ui/theme.ts'), 'utf8')
const [light = '', dark = ''] = [...styles.matchAll(/--compliant:[^}]+/g)].map(([block]) => block)
const schemes = { light: readColours(light), dark: readColours(dark) }

describe.each(['light', 'dark'] as const)('the colours of states in %s', scheme => {
  const colours = schemes[scheme]
  it.each(STATES)('show %s with enough contrast', state => {
    const ink = colours.get(state) ?? ''
    expect(computeContrast(ink, colours.get(`${state}-tint`) ?? '')).toBeGreaterThanOrEqual(MIN_TEXT_CONTRAST)
    expect(computeContrast(ink, PAGES[scheme])).toBeGreaterThanOrEqual(MIN_PICTURE_CONTRAST)
  })

  it('show non-compliant as white on red', () =>
    expect(computeContrast('#ffffff', colours.get('non-compliant-filled') ?? '')).toBeGreaterThanOrEqual(
      MIN_TEXT_CONTRAST,
    ))

  it('are different from each other', () => {
    for (const suffix of ['', '-tint'])
      expect(new Set(STATES.map(state => colours.get(`${state}${suffix}`))).size).toBe(STATES.length)
  })
})

it('use the page background of the theme', () => expect(theme).toContain(`'${PAGES.dark}'`))

function readColours(block: string): ReadonlyMap<string, string> {
  return new Map(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', value = '']) => [name, value]),
  )
}

function computeContrast(a: string, b: string): number {
  const [lighter = 0, darker = 0] = [computeLuminance(a), computeLuminance(b)].toSorted((x, y) => y - x)
  return (lighter + 0.05) / (darker + 0.05)
}

function computeLuminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

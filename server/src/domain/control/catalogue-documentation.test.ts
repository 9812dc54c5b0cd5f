import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { detectFormat, type ParsedCatalogue } from './catalogue.ts'
import { parseCsvCatalogue } from './catalogue-csv.ts'
import { parseYamlCatalogue } from './catalogue-yaml.ts'

const requireControls = (parsed: ParsedCatalogue) => {
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors))
  return parsed.catalogue.controls
}

describe('the examples of the documentation', () => {
  const page = readFileSync(new URL('../../../../docs/controls.md', import.meta.url), 'utf8')
  const extractExample = (language: string) => page.split(`\`\`\`${language}\n`)[1]?.split('```')[0] ?? ''

  it('are catalogues', () => {
    const yaml = requireControls(parseYamlCatalogue(extractExample('yaml')))
    expect(yaml.map(({ identifier }) => identifier)).toEqual([
      'SDLC-CTRL-0001',
      'SDLC-CTRL-0002',
      'SDLC-CTRL-0003',
    ])
    const csv = requireControls(parseCsvCatalogue(extractExample('csv')))
    expect(csv).toMatchObject([
      { links: yaml[0]?.links, tags: { framework: 'iso', risk: 'high' } },
      { description: null },
    ])
    expect([detectFormat(extractExample('yaml')), detectFormat(extractExample('csv'))]).toEqual([
      'yaml',
      'csv',
    ])
  })
})

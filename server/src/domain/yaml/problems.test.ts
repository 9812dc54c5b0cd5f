import { describe, expect, it } from 'vitest'
import { formatTypes } from '../attestation/types.testing.ts'
import { parseTemplate } from '../template/parse.ts'

const TYPES = formatTypes()

const listErrors = (yaml: string): Record<string, string> => {
  const parsed = parseTemplate(yaml)
  return parsed.ok ? {} : parsed.errors
}
const formatTrail = (...lines: string[]): string =>
  ['version: 1', 'trail:', ...lines.map(line => `  ${line}`)].join('\n')

describe('the text for existing clients', () => {
  it('counts one bad type twice', () => {
    const yaml = formatTrail('attestations: [{name: bar, type: not-supported}]')
    expect(listErrors(yaml).template_file).toBe(
      [
        '2 validation errors for Template',
        'template.trail.attestations[0].type',
        `  Input should be ${TYPES} or '*' [input: not-supported]`,
        'template.trail.attestations[0].type',
        "  String should match pattern '^custom:.+$' [input: not-supported]",
      ].join('\n'),
    )
  })

  it('is plural for one error and comes last', () => {
    const errors = listErrors('version: 2')
    expect(Object.keys(errors).sort().at(-1)).toBe('template_file')
    expect(errors.template_file).toBe(
      '1 validation errors for Template\ntemplate.version\n  Input should be 1 [input: 2]',
    )
  })

  it('is there for syntax errors', () => {
    expect(listErrors('a: [').template_file).toMatch(/^\d+ validation errors for Template\ntemplate\n {2}/)
  })

  it('stops listing but not counting after 1,000', () => {
    const errors = listErrors(formatTrail('attestations:', ...Array.from({ length: 1_200 }, () => '  - {}')))
    expect(Object.keys(errors)).toHaveLength(1_001)
    expect(errors.template_file).toMatch(/^2400 validation errors for Template\n/)
    expect(errors.template_file).toMatch(/\nand 1400 more$/)
  })
})

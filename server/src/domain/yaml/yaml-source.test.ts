import { type Counted, loadCounted } from '@waybill/testing/steps'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { parseTemplate } from '../template/parse.ts'

const listErrors = (yaml: string): Record<string, string> => {
  const parsed = parseTemplate(yaml)
  return parsed.ok ? {} : parsed.errors
}
const listFieldErrors = (yaml: string): Record<string, string> => {
  const { template_file: _, ...fields } = listErrors(yaml)
  return fields
}
const formatTrail = (...lines: string[]): string =>
  ['version: 1', 'trail:', ...lines.map(line => `  ${line}`)].join('\n')

describe('odd YAML', () => {
  const bomb = [
    'a: &a [x]',
    ...Array.from({ length: 9 }, (_, i) => `b${i}: &b${i} [${'*a,'.repeat(9)}]`),
  ].join('\n')
  const table: [string, string, RegExp][] = [
    ['syntax', 'version: [', /^line 1, column \d+: Flow sequence .*\[input: .*\]$/],
    [
      'unquoted star',
      formatTrail('attestations: [{name: a, type: *}]'),
      /^line 3, column 34: Alias is not valid; to match any type, write '\*' in quotes/,
    ],
    ['two documents', 'version: 1\n---\nversion: 1', /^line 2, column 1: Source contains multiple documents/],
    ['!!binary', 'version: !!binary MQ==', /YAML tag tag:yaml.org,2002:binary is not permitted/],
    [
      '!!js/function',
      'version: !!js/function "x"',
      /YAML tag tag:yaml.org,2002:js\/function is not permitted/,
    ],
    ['tagged collection', 'version: 1\ntrail: !!set {}', /YAML tag .*set is not permitted/],
    ['harmless tag', 'version: !!int 1', /YAML tag .*int is not permitted/],
    ['local tag', '!x\nversion: 1', /YAML tag !x is not permitted/],
    ['unknown anchor', 'version: 1\ntrail: *x', /^line 2, column 8: Alias should follow the anchor it names/],
    [
      'tab as indent',
      'version: 1\ntrail:\n\tattestations: []',
      /^line 3, column 1: Tabs are not allowed as indentation/,
    ],
    ['NUL', 'version: 1\u0000', /^line 1, column 11: Input should contain only printable characters/],
    ['escape character', 'version: 1 # \u001b[31m', /printable/],
    ['half a surrogate pair', 'version: 1 # \ud800', /printable/],
    ['parser control characters', '\u0002\u0018\u001f', /printable/],
    ['alias bomb', bomb, /at most 50 aliases/],
    [
      'too long',
      `version: 1\n# ${'x'.repeat(1024 * 1024)}`,
      /^line 1, column 1: Input should have at most 1048576 characters/,
    ],
    ['too many tokens', formatTrail('attestations:', '  - a\n'.repeat(40_000)), /too large for a template/],
    ['too many escapes', `"${'\\z'.repeat(500_000)}"`, /too large for a template/],
  ]
  it.each(table)('%s', (_, yaml, sentence) => expect(listFieldErrors(yaml).template).toMatch(sentence))

  it.each([
    ['a cycle through a list', formatTrail('artifacts: &a [*a]')],
    ['a cycle through a slot', formatTrail('artifacts: [&a {name: a, attestations: [*a]}]')],
    ['a cycle at the top', '&a {version: 1, trail: *a}'],
    ['a list as key', '? [a]\n: 1'],
    ['a mapping as key', '{{a: b}: 1}'],
    ['no key', ': 1'],
    ['an alias as key', '&a version: 1\n*a : 1'],
    ['a prototype', '__proto__: 1\nversion: 1'],
  ])('%s', (_, yaml) => expect(parseTemplate(yaml).ok).toBe(false))

  it('counts an aliased list each time it is used', () => {
    const list = Array.from({ length: 200 }, (_, i) => `{name: a${i}, type: junit}`).join(', ')
    const uses = Array.from({ length: 30 }, (_, i) => `  - {name: b${i}, attestations: *a}`)
    const errors = listFieldErrors(formatTrail(`attestations: &a [${list}]`, 'artifacts:', ...uses))
    expect(Object.values(errors)[0]).toMatch(/at most 5000 list entries/)
  })
})

describe('a template has at most', () => {
  const formatList = (count: number) => formatTrail(`attestations: [${'a,'.repeat(count)}]`)
  it.each([
    ['1,048,576 characters', 1024 * 1024, (n: number) => 'x'.repeat(n), /at most 1048576 characters/],
    // In addition to the items and their commas such a list has ten tokens.
    ['16,000 tokens', 7995, formatList, /too large for a template/],
    ['5,000 list entries', 5000, formatList, /at most 5000 list entries/],
    ['50 aliases', 50, (n: number) => `a: &a x\nb: [${'*a, '.repeat(n)}]`, /at most 50 aliases/],
    ['32 levels', 32, (n: number) => `trail: ${'['.repeat(n)}${']'.repeat(n)}`, /nested too deeply/],
  ])('%s', (_, limit, make, sentence) => {
    expect(Object.values(listFieldErrors(make(limit))).join('\n')).not.toMatch(sentence)
    expect(Object.values(listFieldErrors(make(limit + 1))).join('\n')).toMatch(sentence)
  })
})

describe('nesting', () => {
  let counted: Counted<typeof import('../template/parse.ts')>
  beforeAll(async () => {
    counted = await loadCounted(new URL('../template/parse.ts', import.meta.url))
  })
  const staircase = Array.from({ length: 1_000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')
  it.each([
    ['[', '['.repeat(100_000)],
    ['{a:', '{a: '.repeat(100_000)],
    ['[{ behind strings', '["]",{a: '.repeat(50_000)],
    ['- -', '- '.repeat(100_000)],
    ['? ?', '? '.repeat(100_000)],
    [': :', ': '.repeat(100_000)],
    ['- &a', '- &a '.repeat(50_000)],
    ['- !a', '- !a '.repeat(50_000)],
    ['a staircase of keys', staircase],
    ['a staircase of lists', staircase.replaceAll('a:', '-')],
    ['closed', '['.repeat(50_000) + ']'.repeat(50_000)],
  ])('%s is refused soon', (_, yaml) => {
    expect(listFieldErrors(yaml).template).toMatch(/Input is nested too deeply/)
    const { module, stepsOf } = counted
    expect(stepsOf(() => module.parseTemplate(yaml))).toBeLessThan(yaml.length)
  })
})

it('never throws', () => {
  const piece = fc.constantFrom(
    ...[
      'version: 1',
      'trail:',
      'attestations:',
      'artifacts:',
      'name: a',
      'type: junit',
      '\n',
      '\n  ',
      '\n    ',
      '- ',
    ],
    ...[
      '[',
      ']',
      '{',
      '}',
      ',',
      ': ',
      '? ',
      '&a ',
      '*a ',
      '!x ',
      '!!set ',
      '"',
      "'",
      '|',
      '>',
      '#',
      '%',
      '---\n',
      '\t',
      '\r',
      '<<: ',
      '\ufeff',
    ],
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece, { maxLength: 40 }).map(parts => parts.join('')),
  )
  fc.assert(
    fc.property(text, yaml => {
      const errors = listErrors(yaml)
      const { template_file, ...fields } = errors
      for (const sentence of Object.values(fields))
        expect(sentence).toMatch(/^line \d+, column \d+: .*\[input: .*\]$/)
      expect(Object.keys(fields).length > 0).toBe(template_file !== undefined)
    }),
    { numRuns: 150 },
  )
})

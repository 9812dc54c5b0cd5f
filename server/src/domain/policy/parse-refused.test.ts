// biome-ignore-all lint/suspicious/noTemplateCurlyInString: policies write their expressions in ${{ }}
import { describe, expect, it } from 'vitest'
import { formatTypes } from '../attestation/types.testing.ts'
import { parsePolicy } from './parse.ts'

const SCHEMA = '_schema: https://example.com/schemas/policy/environment/v1'
const TYPES = `${formatTypes()}, 'custom:<name>' or '*'`

const listErrors = (yaml: string): Record<string, string> => {
  const parsed = parsePolicy(yaml)
  return parsed.ok ? {} : parsed.errors
}
const listFieldErrors = (yaml: string): Record<string, string> => {
  const { policy_file: _, ...fields } = listErrors(yaml)
  return fields
}
const formatArtifacts = (...lines: string[]): string =>
  [SCHEMA, 'artifacts:', ...lines.map(line => `  ${line}`)].join('\n')
const formatRule = (...lines: string[]): string =>
  formatArtifacts('attestations:', ...lines.map((line, at) => (at === 0 ? `  - ${line}` : `    ${line}`)))

describe('refused, with the field and its place', () => {
  const first = 'policy.artifacts.attestations[0]'
  const schema = "Input should be a URL whose path ends in '/v1'"
  it.each<[string, string, Record<string, string>]>([
    ['empty file', '', { policy: 'line 1, column 1: Input should be a valid dictionary [input: None]' }],
    ['list', '- a', { policy: 'line 1, column 1: Input should be a valid dictionary [input: - a]' }],
    ['no schema', 'artifacts:', { 'policy._schema': 'line 1, column 1: Field required [input: None]' }],
    ['no URL', '_schema: v1', { 'policy._schema': `line 1, column 10: ${schema} [input: v1]` }],
    [
      'another version',
      '_schema: https://x/v2',
      { 'policy._schema': `line 1, column 10: ${schema} [input: https://x/v2]` },
    ],
    [
      'v1 in the middle',
      '_schema: https://x/v1/y',
      { 'policy._schema': `line 1, column 10: ${schema} [input: https://x/v1/y]` },
    ],
    [
      'v1 in the query',
      '_schema: https://x/y?/v1',
      { 'policy._schema': `line 1, column 10: ${schema} [input: https://x/y?/v1]` },
    ],
    [
      'part of a segment',
      '_schema: https://x/xv1',
      { 'policy._schema': `line 1, column 10: ${schema} [input: https://x/xv1]` },
    ],
    [
      'unknown key at the top',
      `${SCHEMA}\nname: x`,
      { 'policy.name': 'line 2, column 1: Extra inputs are not permitted [input: x]' },
    ],
    [
      'unknown key in artifacts',
      formatArtifacts('trail_compliance: {}'),
      { 'policy.artifacts.trail_compliance': 'line 3, column 3: Extra inputs are not permitted [input: {}]' },
    ],
    [
      'unknown key in a requirement',
      formatArtifacts('provenance: {if: x}'),
      { 'policy.artifacts.provenance.if': 'line 3, column 16: Extra inputs are not permitted [input: x]' },
    ],
    [
      'unknown key in an exception',
      formatArtifacts('provenance: {exceptions: [{if: "${{ true }}", why: x}]}'),
      {
        'policy.artifacts.provenance.exceptions[0].why':
          'line 3, column 49: Extra inputs are not permitted [input: x]',
      },
    ],
    [
      'unknown key in a rule',
      formatRule('{type: junit, control: x}'),
      { [`${first}.control`]: 'line 4, column 21: Extra inputs are not permitted [input: x]' },
    ],
    [
      'required is no boolean',
      formatArtifacts('provenance: {required: "true"}'),
      {
        'policy.artifacts.provenance.required':
          'line 3, column 26: Input should be a valid boolean [input: true]',
      },
    ],
    [
      'no type',
      formatRule('name: a'),
      { [`${first}.type`]: 'line 4, column 7: Field required [input: None]' },
    ],
    [
      'unknown type',
      formatRule('type: pull-request'),
      {
        [`${first}.type`]: `line 4, column 13: Input should be ${TYPES}, did you mean 'pull_request'? [input: pull-request]`,
      },
    ],
    [
      'any name of any type',
      formatRule('type: "*"'),
      { [first]: `line 4, column 7: Name and type should not both be '*' [input: type: "*"]` },
    ],
    [
      'bad name',
      formatRule('{type: junit, name: a.b}'),
      {
        [`${first}.name`]:
          "line 4, column 27: String should be '*' or match pattern '^[a-zA-Z0-9\\-_,]+$' [input: a.b]",
      },
    ],
    [
      'null name',
      formatRule('{type: junit, name: null}'),
      { [`${first}.name`]: 'line 4, column 27: Input should be a valid string [input: None]' },
    ],
    [
      'control without a decision',
      formatRule('{type: junit, for_control: c1}'),
      {
        [`${first}.for_control`]:
          "line 4, column 34: Input is permitted only where type is 'decision' [input: c1]",
      },
    ],
    [
      'exception without a condition',
      formatArtifacts('provenance: {exceptions: [{}]}'),
      { 'policy.artifacts.provenance.exceptions[0].if': 'line 3, column 29: Field required [input: None]' },
    ],
    [
      'exception with null',
      formatArtifacts('provenance: {exceptions: [{if: null}]}'),
      {
        'policy.artifacts.provenance.exceptions[0].if':
          'line 3, column 34: Input should be a valid string [input: None]',
      },
    ],
    [
      'no wrapper',
      formatRule('{type: junit, if: true == false}'),
      {
        [`${first}.if`]:
          'line 4, column 25: Expression should be written as ${{ ... }} [input: true == false]',
      },
    ],
    [
      'half a wrapper',
      formatRule("{type: junit, if: '${{ true }'}"),
      {
        [`${first}.if`]: 'line 4, column 25: Expression should be written as ${{ ... }} [input: ${{ true }]',
      },
    ],
  ])('%s', (_, yaml, errors) => expect(listFieldErrors(yaml)).toEqual(errors))

  it('lists all of them, and the text for existing clients', () => {
    const errors = listErrors(formatRule('{type: nope, name: "", for_control: x}').replace('/v1', '/v3'))
    expect(Object.keys(errors)).toEqual([
      'policy._schema',
      `${first}.name`,
      `${first}.type`,
      `${first}.for_control`,
      'policy_file',
    ])
    expect(errors.policy_file).toMatch(
      /^5 validation errors for Policy\npolicy._schema\n {2}Input should be a URL/,
    )
  })
})

describe('a mistake in an expression is shown where it is', () => {
  it.each<[string, string, number, number]>([
    ['plain', formatRule('type: junit', 'if: ${{ flow.name = "x" }}'), 5, 25],
    ['plain, first token', formatRule('type: junit', 'if: ${{ flo == "x" }}'), 5, 15],
    ['plain without spaces', formatRule('type: junit', 'if: ${{flo == "x"}}'), 5, 14],
    ['plain, nothing', formatRule('type: junit', 'if: ${{ }}'), 5, 15],
    ['plain, the end', formatRule('type: junit', 'if: ${{ flow.name == }}'), 5, 28],
    ['single quotes', formatRule('type: junit', "if: '${{ flow.name == ''a'' and @ }}'"), 5, 39],
    ['double quotes', formatRule('type: junit', 'if: "${{ flow.name == \\"a\\" and @ }}"'), 5, 39],
    ['in braces', formatRule('{type: junit, if: "${{ true and @ }}"}'), 4, 39],
    ['block', formatRule('type: junit', 'if: |', '  ${{ flow.name == "a"', '    and @ }}'), 7, 15],
    ['folded block', formatRule('type: junit', 'if: >-', '  ${{ true', '  and', '  @ }}'), 8, 9],
    ['plain over two lines', formatRule('type: junit', 'if: ${{ true', '  and @ }}'), 6, 13],
    ['behind an anchor', formatRule('type: junit', 'if: &a ${{ tru }}'), 5, 18],
    ['regular expression', formatRule('type: junit', 'if: ${{ matches(flow.name, "a(") }}'), 5, 34],
  ])('%s', (_, yaml, line, column) => {
    const errors = listFieldErrors(yaml)
    expect(Object.keys(errors)).toEqual(['policy.artifacts.attestations[0].if'])
    expect(Object.values(errors)[0]).toMatch(new RegExp(`^line ${line}, column ${column}: .* \\[input: `))
  })

  it('also if the expression is an alias', () => {
    const errors = listFieldErrors(
      formatArtifacts(
        'attestations:',
        '  - type: junit',
        '    if: &a ${{ tru }}',
        '  - {type: snyk, if: *a}',
      ),
    )
    expect(Object.keys(errors)).toEqual([
      'policy.artifacts.attestations[0].if',
      'policy.artifacts.attestations[1].if',
    ])
    for (const sentence of Object.values(errors)) expect(sentence).toMatch(/^line 5, column 18: /)
  })

  it('in exceptions too', () => {
    const yaml = formatArtifacts(
      'trail-compliance:',
      '  exceptions:',
      '    - if: ${{ true }}',
      '    - if: ${{ null }}',
    )
    expect(listFieldErrors(yaml)).toEqual({
      'policy.artifacts.trail-compliance.exceptions[1].if':
        "line 6, column 17: There is no 'null' here; use exists(...) to test for a value [input: ${{ null }}]",
    })
  })
})

describe('limits', () => {
  const formatRules = (count: number, rule: string): string =>
    formatArtifacts('attestations:', ...Array.from({ length: count }, () => `  - ${rule}`))
  it.each([
    ['rules', formatRules(1_001, 'type: junit'), /^line 4, column 5: List should have at most 1000 entries/],
    [
      'exceptions',
      formatArtifacts(
        'provenance:',
        '  exceptions:',
        ...Array.from({ length: 101 }, () => '    - if: ${{ true }}'),
      ),
      /^line 5, column 7: List should have at most 100 entries/,
    ],
    [
      'characters of an expression',
      formatRule('type: junit', `if: \${{ true${' or true'.repeat(600)} }}`),
      /^line 5, column 15: Expression should have at most 4096 characters/,
    ],
    [
      'nesting of an expression',
      formatRule('type: junit', `if: \${{ ${'('.repeat(65)}true }}`),
      /^line 5, column 79: Expression should be nested at most 64 deep/,
    ],
    [
      'regular expressions together',
      formatRules(11, '{type: junit, if: \'${{ matches(flow.name, "^a{1900}") }}\'}').replaceAll(
        '1900',
        '950}a{950',
      ),
      /The regular expressions of a policy should be smaller in total/,
    ],
    ['the file', formatRules(12_000, 'a'), /Input is too large for a policy/],
    ['aliases', `a: &a x\nb: [${'*a, '.repeat(51)}]`, /at most 50 aliases/],
  ])('%s', (_, yaml, sentence) => expect(Object.values(listFieldErrors(yaml))[0]).toMatch(sentence))
})

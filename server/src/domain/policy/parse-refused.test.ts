// biome-ignore-all lint/suspicious/noTemplateCurlyInString: policies write their expressions in ${{ }}
import { describe, expect, it } from 'vitest'
import { parsePolicy } from './parse.ts'

const SCHEMA = '_schema: https://example.com/schemas/policy/environment/v1'
const TYPES =
  "'generic', 'junit', 'snyk', 'pull_request', 'jira', 'sonar', 'decision', 'sbom', 'custom:<name>' or '*'"

const errorsOf = (yaml: string): Record<string, string> => {
  const parsed = parsePolicy(yaml)
  return parsed.ok ? {} : parsed.errors
}
const fieldsOf = (yaml: string): Record<string, string> => {
  const { policy_file: _, ...fields } = errorsOf(yaml)
  return fields
}
const artifactsOf = (...lines: string[]): string =>
  [SCHEMA, 'artifacts:', ...lines.map(line => `  ${line}`)].join('\n')
const ruleOf = (...lines: string[]): string =>
  artifactsOf('attestations:', ...lines.map((line, at) => (at === 0 ? `  - ${line}` : `    ${line}`)))

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
      artifactsOf('trail_compliance: {}'),
      { 'policy.artifacts.trail_compliance': 'line 3, column 3: Extra inputs are not permitted [input: {}]' },
    ],
    [
      'unknown key in a requirement',
      artifactsOf('provenance: {if: x}'),
      { 'policy.artifacts.provenance.if': 'line 3, column 16: Extra inputs are not permitted [input: x]' },
    ],
    [
      'unknown key in an exception',
      artifactsOf('provenance: {exceptions: [{if: "${{ true }}", why: x}]}'),
      {
        'policy.artifacts.provenance.exceptions[0].why':
          'line 3, column 49: Extra inputs are not permitted [input: x]',
      },
    ],
    [
      'unknown key in a rule',
      ruleOf('{type: junit, control: x}'),
      { [`${first}.control`]: 'line 4, column 21: Extra inputs are not permitted [input: x]' },
    ],
    [
      'required is no boolean',
      artifactsOf('provenance: {required: "true"}'),
      {
        'policy.artifacts.provenance.required':
          'line 3, column 26: Input should be a valid boolean [input: true]',
      },
    ],
    ['no type', ruleOf('name: a'), { [`${first}.type`]: 'line 4, column 7: Field required [input: None]' }],
    [
      'unknown type',
      ruleOf('type: pull-request'),
      {
        [`${first}.type`]: `line 4, column 13: Input should be ${TYPES}, did you mean 'pull_request'? [input: pull-request]`,
      },
    ],
    [
      'any name of any type',
      ruleOf('type: "*"'),
      { [first]: `line 4, column 7: Name and type should not both be '*' [input: type: "*"]` },
    ],
    [
      'bad name',
      ruleOf('{type: junit, name: a.b}'),
      {
        [`${first}.name`]:
          "line 4, column 27: String should be '*' or match pattern '^[a-zA-Z0-9\\-_,]+$' [input: a.b]",
      },
    ],
    [
      'null name',
      ruleOf('{type: junit, name: null}'),
      { [`${first}.name`]: 'line 4, column 27: Input should be a valid string [input: None]' },
    ],
    [
      'control without a decision',
      ruleOf('{type: junit, for_control: c1}'),
      {
        [`${first}.for_control`]:
          "line 4, column 34: Input is permitted only where type is 'decision' [input: c1]",
      },
    ],
    [
      'exception without a condition',
      artifactsOf('provenance: {exceptions: [{}]}'),
      { 'policy.artifacts.provenance.exceptions[0].if': 'line 3, column 29: Field required [input: None]' },
    ],
    [
      'exception with null',
      artifactsOf('provenance: {exceptions: [{if: null}]}'),
      {
        'policy.artifacts.provenance.exceptions[0].if':
          'line 3, column 34: Input should be a valid string [input: None]',
      },
    ],
    [
      'no wrapper',
      ruleOf('{type: junit, if: true == false}'),
      {
        [`${first}.if`]:
          'line 4, column 25: Expression should be written as ${{ ... }} [input: true == false]',
      },
    ],
    [
      'half a wrapper',
      ruleOf("{type: junit, if: '${{ true }'}"),
      {
        [`${first}.if`]: 'line 4, column 25: Expression should be written as ${{ ... }} [input: ${{ true }]',
      },
    ],
  ])('%s', (_, yaml, errors) => expect(fieldsOf(yaml)).toEqual(errors))

  it('says all of them, and the text for existing clients', () => {
    const errors = errorsOf(ruleOf('{type: nope, name: "", for_control: x}').replace('/v1', '/v3'))
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
    ['plain', ruleOf('type: junit', 'if: ${{ flow.name = "x" }}'), 5, 25],
    ['plain, first token', ruleOf('type: junit', 'if: ${{ flo == "x" }}'), 5, 15],
    ['plain without spaces', ruleOf('type: junit', 'if: ${{flo == "x"}}'), 5, 14],
    ['plain, nothing', ruleOf('type: junit', 'if: ${{ }}'), 5, 15],
    ['plain, the end', ruleOf('type: junit', 'if: ${{ flow.name == }}'), 5, 28],
    ['single quotes', ruleOf('type: junit', "if: '${{ flow.name == ''a'' and @ }}'"), 5, 39],
    ['double quotes', ruleOf('type: junit', 'if: "${{ flow.name == \\"a\\" and @ }}"'), 5, 39],
    ['in braces', ruleOf('{type: junit, if: "${{ true and @ }}"}'), 4, 39],
    ['block', ruleOf('type: junit', 'if: |', '  ${{ flow.name == "a"', '    and @ }}'), 7, 15],
    ['folded block', ruleOf('type: junit', 'if: >-', '  ${{ true', '  and', '  @ }}'), 8, 9],
    ['plain over two lines', ruleOf('type: junit', 'if: ${{ true', '  and @ }}'), 6, 13],
    ['behind an anchor', ruleOf('type: junit', 'if: &a ${{ tru }}'), 5, 18],
    ['regular expression', ruleOf('type: junit', 'if: ${{ matches(flow.name, "a(") }}'), 5, 34],
  ])('%s', (_, yaml, line, column) => {
    const errors = fieldsOf(yaml)
    expect(Object.keys(errors)).toEqual(['policy.artifacts.attestations[0].if'])
    expect(Object.values(errors)[0]).toMatch(new RegExp(`^line ${line}, column ${column}: .* \\[input: `))
  })

  it('also where the expression is only named', () => {
    const errors = fieldsOf(
      artifactsOf('attestations:', '  - type: junit', '    if: &a ${{ tru }}', '  - {type: snyk, if: *a}'),
    )
    expect(Object.keys(errors)).toEqual([
      'policy.artifacts.attestations[0].if',
      'policy.artifacts.attestations[1].if',
    ])
    for (const said of Object.values(errors)) expect(said).toMatch(/^line 5, column 18: /)
  })

  it('in exceptions too', () => {
    const yaml = artifactsOf(
      'trail-compliance:',
      '  exceptions:',
      '    - if: ${{ true }}',
      '    - if: ${{ null }}',
    )
    expect(fieldsOf(yaml)).toEqual({
      'policy.artifacts.trail-compliance.exceptions[1].if':
        "line 6, column 17: There is no 'null' here, use exists(...) to ask whether there is a value [input: ${{ null }}]",
    })
  })
})

describe('limits', () => {
  const rules = (count: number, rule: string): string =>
    artifactsOf('attestations:', ...Array.from({ length: count }, () => `  - ${rule}`))
  it.each([
    ['rules', rules(1_001, 'type: junit'), /^line 4, column 5: List should have at most 1000 entries/],
    [
      'exceptions',
      artifactsOf(
        'provenance:',
        '  exceptions:',
        ...Array.from({ length: 101 }, () => '    - if: ${{ true }}'),
      ),
      /^line 5, column 7: List should have at most 100 entries/,
    ],
    [
      'characters of an expression',
      ruleOf('type: junit', `if: \${{ true${' or true'.repeat(600)} }}`),
      /^line 5, column 15: Expression should have at most 4096 characters/,
    ],
    [
      'nesting of an expression',
      ruleOf('type: junit', `if: \${{ ${'('.repeat(65)}true }}`),
      /^line 5, column 79: Expression should be nested at most 64 deep/,
    ],
    [
      'regular expressions together',
      rules(11, '{type: junit, if: \'${{ matches(flow.name, "^a{1900}") }}\'}').replaceAll(
        '1900',
        '950}a{950',
      ),
      /Regular expressions of a policy should be smaller, taken together/,
    ],
    ['the file', rules(12_000, 'a'), /Input is too large for a policy/],
    ['aliases', `a: &a x\nb: [${'*a, '.repeat(51)}]`, /at most 50 aliases/],
  ])('%s', (_, yaml, sentence) => expect(Object.values(fieldsOf(yaml))[0]).toMatch(sentence))
})

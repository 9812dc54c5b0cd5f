import { describe, expect, it } from 'vitest'
import { formatTypes } from '../attestation/types.testing.ts'
import { parseTemplate } from './parse.ts'

const TYPES = formatTypes()
const BAD_TYPE = `Input should be ${TYPES}, 'custom:<name>' or '*'`

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

describe('refused, with the field and its place', () => {
  const formatAttestation = (text: string): string => formatTrail('attestations:', `  - ${text}`)
  const first = 'template.trail.attestations[0]'

  it.each([
    ['empty file', '', { template: 'line 1, column 1: Input should be a valid dictionary [input: None]' }],
    ['scalar', 'abc', { template: 'line 1, column 1: Input should be a valid dictionary [input: abc]' }],
    ['list', '- a', { template: 'line 1, column 1: Input should be a valid dictionary [input: - a]' }],
    ['no version', 'trail:', { 'template.version': 'line 1, column 1: Field required [input: None]' }],
    ['version 2', 'version: 2', { 'template.version': 'line 1, column 10: Input should be 1 [input: 2]' }],
    [
      'version as text',
      'version: "1"',
      { 'template.version': 'line 1, column 10: Input should be 1 [input: 1]' },
    ],
    ['null version', 'version:', { 'template.version': 'line 1, column 9: Input should be 1 [input: None]' }],
    [
      'unknown key at the top',
      'version: 1\nname: x',
      { 'template.name': 'line 2, column 1: Extra inputs are not permitted [input: x]' },
    ],
    [
      'unknown key in the trail',
      'version: 1\ntrail: {artefacts: []}',
      { 'template.trail.artefacts': 'line 2, column 9: Extra inputs are not permitted [input: []]' },
    ],
    [
      'unknown key in a slot',
      formatAttestation('{name: a, type: junit, if: x}'),
      { [`${first}.if`]: 'line 4, column 30: Extra inputs are not permitted [input: x]' },
    ],
    [
      'unknown key in an artifact',
      formatTrail('artifacts: [{name: a, type: junit}]'),
      {
        'template.trail.artifacts[0].type':
          'line 3, column 25: Extra inputs are not permitted [input: junit]',
      },
    ],
    [
      'trail list',
      'version: 1\ntrail: []',
      { 'template.trail': 'line 2, column 8: Input should be a valid dictionary [input: []]' },
    ],
    [
      'null list',
      formatTrail('attestations:'),
      { 'template.trail.attestations': 'line 3, column 16: Input should be a valid list [input: None]' },
    ],
    [
      'null entry',
      formatAttestation(''),
      { [first]: 'line 4, column 7: Input should be a valid dictionary [input: None]' },
    ],
    [
      'scalar entry',
      formatAttestation('a'),
      { [first]: 'line 4, column 7: Input should be a valid dictionary [input: a]' },
    ],
    [
      'nothing in a slot',
      formatAttestation('{}'),
      {
        [`${first}.name`]: 'line 4, column 7: Field required [input: None]',
        [`${first}.type`]: 'line 4, column 7: Field required [input: None]',
      },
    ],
    [
      'empty name',
      formatAttestation('{name: "", type: junit}'),
      { [`${first}.name`]: "line 4, column 14: String should match pattern '^[a-zA-Z0-9\\-_,]+$' [input: ]" },
    ],
    [
      'dot in an artifact name',
      formatTrail('artifacts: [{name: a.b}]'),
      {
        'template.trail.artifacts[0].name':
          "line 3, column 22: String should match pattern '^[a-zA-Z0-9\\-_]+$' [input: a.b]",
      },
    ],
    [
      'unknown type',
      formatAttestation('{name: a, type: not-supported}'),
      { [`${first}.type`]: `line 4, column 23: ${BAD_TYPE} [input: not-supported]` },
    ],
    [
      'type with a hyphen',
      formatAttestation('{name: a, type: pull-request}'),
      {
        [`${first}.type`]: `line 4, column 23: ${BAD_TYPE}, did you mean 'pull_request'? [input: pull-request]`,
      },
    ],
    [
      'custom type without a name',
      formatAttestation('{name: a, type: "custom:"}'),
      { [`${first}.type`]: `line 4, column 23: ${BAD_TYPE} [input: custom:]` },
    ],
    [
      'one name twice in a list',
      formatTrail('attestations:', '  - {name: a, type: junit}', '  - {name: a, type: snyk}'),
      {
        'template.trail.attestations[1].name':
          'line 5, column 14: Name should be used only once in its list, line 4 already has it [input: a]',
      },
    ],
    [
      'one key twice',
      'version: 1\nversion: 1',
      { 'template.version': 'line 2, column 1: Key should be given only once [input: 1]' },
    ],
    [
      'merge key',
      formatTrail('attestations:', '  - &a {name: a, type: junit}', '  - {<<: *a}'),
      {
        'template.trail.attestations[1].<<':
          'line 5, column 8: Extra inputs are not permitted [input: {name: a, type: junit}]',
        'template.trail.attestations[1].name': 'line 5, column 7: Field required [input: None]',
        'template.trail.attestations[1].type': 'line 5, column 7: Field required [input: None]',
      },
    ],
  ])('%s', (_, yaml, fields) => expect(listFieldErrors(yaml)).toEqual(fields))

  it.each(['1', 'yes', 'no', 'on', 'true', '1.5', '1e3', '0x10', '2001-12-14', '1_000'])(
    'name: %s is not text',
    name => {
      expect(listFieldErrors(formatAttestation(`{name: ${name}, type: junit}`))).toEqual({
        [`${first}.name`]: `line 4, column 14: Input should be a valid string, put quotes around it [input: ${name}]`,
      })
      expect(parseTemplate(formatAttestation(`{name: "${name.replace('.', '-')}", type: junit}`)).ok).toBe(
        true,
      )
    },
  )

  it('lists every error', () => {
    const fields = listFieldErrors(
      'version: 3\nx: 1\ntrail:\n  attestations: 7\n  artifacts:\n    - {}\n    - name: b b\n      attestations: [{name: a}]',
    )
    expect(Object.keys(fields)).toEqual([
      'template.x',
      'template.version',
      'template.trail.attestations',
      'template.trail.artifacts[0].name',
      'template.trail.artifacts[1].name',
      'template.trail.artifacts[1].attestations[0].type',
    ])
  })

  it('cuts the shown input and keeps it on one line', () => {
    const shown = listFieldErrors(formatAttestation(`{name: "a\\n\\e${'x'.repeat(500)}", type: junit}`))[
      `${first}.name`
    ]
    expect(shown).toMatch(/\[input: a x{98}\]$/)
    expect(shown).not.toMatch(/\n/)
  })
})

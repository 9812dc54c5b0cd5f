// biome-ignore-all lint/suspicious/noTemplateCurlyInString: policies write their expressions in ${{ }}
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePolicy } from './parse.ts'
import { listNamedControls, type Policy } from './policy.ts'

const SCHEMA = '_schema: https://example.com/schemas/policy/environment/v1'
const readPolicy = (...lines: string[]): Policy => {
  const parsed = parsePolicy([SCHEMA, ...lines].join('\n'))
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors))
  return parsed.policy
}
const NOTHING = { required: false, exceptions: [] }
const EMPTY: Policy = {
  schema_version: '1',
  artifacts: { provenance: NOTHING, trail_compliance: NOTHING, attestations: [] },
}

describe('accepted', () => {
  it.each([
    ['schema only', ''],
    ['null artifacts', 'artifacts:'],
    ['empty artifacts', 'artifacts: {}'],
    ['null rules', 'artifacts: {provenance: , trail-compliance: null}'],
    ['empty rules', 'artifacts: {provenance: {}, trail-compliance: {exceptions: []}, attestations: []}'],
  ])('%s', (_, yaml) => expect(readPolicy(yaml)).toEqual(EMPTY))

  it.each([
    'https://other.example/v1',
    'http://localhost:8001/a/b/v1',
    'https://example.com/schemas/policy/environment/v1?x#y',
  ])('_schema %s', schema => expect(parsePolicy(`_schema: ${schema}`).ok).toBe(true))

  it('everything', () => {
    const policy = readPolicy(
      'artifacts:',
      '  provenance:',
      '    required: true',
      '    exceptions:',
      '      - if: ${{ flow.name == "a" }}',
      '      - if: "${{exists(flow)}}"',
      '  trail-compliance: {required: yes}',
      '  attestations:',
      '    - type: "custom:my type"',
      '    - name: unit-tests',
      '      type: "*"',
      '      if: |',
      '        ${{',
      "          flow.name == 'a'",
      '          or true',
      '        }}',
      '      must_be_compliant: false',
      '    - {type: decision, for_control: c1, name: "*", if: null}',
      '    - {type: decision, for_control: c2}',
      '    - {type: decision, for_control: c1}',
      '    - {type: system:decision, for_control: null}',
    )
    expect(policy.artifacts.provenance).toEqual({
      required: true,
      exceptions: [
        { if_condition: { text: 'flow.name == "a"' } },
        { if_condition: { text: 'exists(flow)' } },
      ],
    })
    expect(policy.artifacts.trail_compliance).toEqual({ required: true, exceptions: [] })
    expect(policy.artifacts.attestations.slice(0, 3)).toEqual([
      { if_condition: null, name: '*', type: 'custom:my type', must_be_compliant: true, for_control: null },
      {
        if_condition: { text: "flow.name == 'a'\n  or true" },
        name: 'unit-tests',
        type: '*',
        must_be_compliant: false,
        for_control: null,
      },
      { if_condition: null, name: '*', type: 'decision', must_be_compliant: true, for_control: 'c1' },
    ])
    expect(listNamedControls(policy)).toEqual(['c1', 'c2'])
    expect(JSON.parse(JSON.stringify(policy))).toEqual(policy)
  })

  it('1,000 rules with every field, and 100 exceptions', () => {
    const rule = `    - {name: a, type: decision, if: "\${{ flow.name == 'x' }}", must_be_compliant: true, for_control: c}`
    const exception = '      - if: ${{ true }}'
    const policy = readPolicy(
      'artifacts:',
      '  provenance:',
      '    exceptions:',
      ...Array.from({ length: 100 }, () => exception),
      '  attestations:',
      ...Array.from({ length: 1_000 }, () => rule),
    )
    expect(policy.artifacts.attestations).toHaveLength(1_000)
    expect(policy.artifacts.provenance.exceptions).toHaveLength(100)
  })
})

it('never throws', () => {
  const piece = fc.constantFrom(
    ...[
      '_schema: https://x/v1',
      'artifacts:',
      'provenance:',
      'attestations:',
      'exceptions:',
      'required: true',
    ],
    ...['if: ', '${{ ', ' }}', 'flow.name', ' == ', "'a'", '"a"', 'type: junit', 'name: x', 'for_control: c'],
    ...['\n', '\n  ', '\n    ', '- ', '[', ']', '{', '}', ', ', ': ', '&a ', '*a ', '|', '>', '"', "'", '\\'],
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), pieces => {
      const parsed = parsePolicy(pieces.join(''))
      if (parsed.ok) return
      const { policy_file, ...fields } = parsed.errors
      expect(policy_file).toMatch(/^\d+ validation errors for Policy\npolicy/)
      for (const sentence of Object.values(fields)) {
        expect(sentence).toMatch(/^line \d+, column \d+: .*\[input: .*\]$/)
      }
    }),
    { numRuns: 500 },
  )
})

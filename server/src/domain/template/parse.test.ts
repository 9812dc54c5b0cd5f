import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ATTESTATION_NAME } from '../names.ts'
import { EMPTY_TEMPLATE_YAML, formatTemplateFromNames, parseTemplate } from './parse.ts'

const EMPTY = { version: 1, trail: { attestations: [], artifacts: [] } }

const formatTrail = (...lines: string[]): string =>
  ['version: 1', 'trail:', ...lines.map(line => `  ${line}`)].join('\n')

describe('accepted', () => {
  it.each([
    ['the empty template', EMPTY_TEMPLATE_YAML],
    ['a final newline and comments', '# c\nversion: 1 # c\n'],
    ['a document marker and a byte order mark', '\ufeff---\nversion: 1\n...\n'],
    ['a null trail', 'version: 1\ntrail:\n'],
    ['an empty trail', 'version: 1\ntrail: {}'],
    ['empty lists', 'version: 1\ntrail: {attestations: [], artifacts: []}'],
    ['Windows line ends', 'version: 1\r\ntrail:\r\n  attestations: []\r\n'],
    ['JSON', '{"version":1,"trail":null}'],
  ])('%s', (_, yaml) => expect(parseTemplate(yaml)).toEqual({ ok: true, template: EMPTY }))

  it('slots on the trail and on artifacts', () => {
    const yaml = formatTrail(
      'attestations:',
      '  - name: bar',
      '    type: generic',
      'artifacts:',
      '  - name: cli',
      '    attestations:',
      '      - {name: foo, type: "custom:my type"}',
      '      - {name: "foo,2", type: "*"}',
      '  - name: bare',
    )
    expect(parseTemplate(yaml)).toEqual({
      ok: true,
      template: {
        version: 1,
        trail: {
          attestations: [{ name: 'bar', type: 'generic' }],
          artifacts: [
            {
              name: 'cli',
              attestations: [
                { name: 'foo', type: 'custom:my type' },
                { name: 'foo,2', type: '*' },
              ],
            },
            { name: 'bare', attestations: [] },
          ],
        },
      },
    })
  })

  it.each([
    ...['generic', 'junit', 'snyk', 'pull_request', 'jira', 'sonar', 'decision', 'sbom', 'custom:x', "'*'"],
    ...['system:decision', 'system:sbom'],
  ])('type %s', type =>
    expect(parseTemplate(formatTrail('attestations:', `  - {name: a, type: ${type}}`)).ok).toBe(true),
  )

  it('a type of the service with or without its prefix, as the same', () => {
    const parseTyped = (type: string) =>
      parseTemplate(formatTrail('attestations:', `  - {name: a, type: ${type}}`))
    expect(parseTyped('system:sbom')).toEqual(parseTyped('sbom'))
    expect(parseTyped('system:decision')).toEqual(parseTyped('decision'))
    expect(parseTyped('system:generic').ok).toBe(false)
  })

  it('one name in two lists', () => {
    const slot = '[{name: a, type: junit}]'
    expect(
      parseTemplate(formatTrail(`attestations: ${slot}`, `artifacts: [{name: a, attestations: ${slot}}]`)).ok,
    ).toBe(true)
  })

  it('a few aliases, each meaning the last anchor before it', () => {
    const yaml = formatTrail(
      'attestations: &a [{name: x, type: junit}]',
      'artifacts:',
      '  - {name: one, attestations: *a}',
      '  - {name: two, attestations: &a [{name: z, type: snyk}]}',
      '  - {name: three, attestations: *a}',
    )
    const parsed = parseTemplate(yaml)
    expect(parsed.ok && parsed.template.trail.artifacts.map(a => a.attestations[0]?.name)).toEqual([
      'x',
      'z',
      'z',
    ])
  })
})

describe('formatTemplateFromNames', () => {
  it('makes one artifact of the other names', () => {
    expect(formatTemplateFromNames(['artifact', 'unit-test', 'yes'])).toBe(
      [
        'version: 1',
        'trail:',
        '  attestations: []',
        '  artifacts:',
        '    - name: artifact',
        '      attestations:',
        '        - name: unit-test',
        '          type: "*"',
        '        - name: "yes"',
        '          type: "*"',
        '',
      ].join('\n'),
    )
  })

  it.each([[['']], [['a.b']], [['a b']], [['a', 'a']], [['a\n- b']], [['*x']], [['\u0000']], [['a: b']]])(
    '%j is refused',
    names => expect(parseTemplate(formatTemplateFromNames(names)).ok).toBe(false),
  )

  it('is accepted when every name is legal', () => {
    const name = fc.stringMatching(new RegExp(ATTESTATION_NAME)).filter(text => text !== 'artifact')
    const words = fc.constantFrom(
      'yes',
      'null',
      'true',
      '1',
      '0x1F',
      '2001-12-14',
      '-',
      '---',
      ',',
      '1e3',
      'n',
      '1_0',
    )
    fc.assert(
      fc.property(fc.uniqueArray(fc.oneof(name, words), { maxLength: 20 }), names => {
        const parsed = parseTemplate(formatTemplateFromNames(names))
        expect(parsed).toMatchObject({ ok: true })
        expect(parsed.ok && parsed.template.trail.artifacts[0]?.attestations.map(slot => slot.name)).toEqual(
          names,
        )
      }),
    )
  })
})

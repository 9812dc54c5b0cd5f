import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findOscalProblems } from '../../../test/oscal.ts'
import { someControls } from './catalogue.testing.ts'
import type { CatalogueControl, ParsedCatalogue } from './catalogue.ts'
import { computeUuid, escapeValue, formatPair, parsePair, toToken, unescapeValue } from './oscal.ts'
import { buildOscalCatalogue } from './oscal-catalogue-export.ts'
import { parseOscalCatalogue } from './oscal-catalogue-import.ts'

const SAMPLE = JSON.parse(readFileSync(new URL('./cases/oscal-catalogue.json', import.meta.url), 'utf8'))
const MODIFIED = new Date('2026-03-03T12:00:00Z')

const requireControls = (parsed: ParsedCatalogue) => {
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors))
  return parsed.catalogue.controls
}
const listErrors = (json: unknown) => {
  const parsed = parseOscalCatalogue(json)
  return parsed.ok ? {} : parsed.errors
}
const metadata = {
  title: 'T',
  'last-modified': '2026-01-01T00:00:00Z',
  version: '1',
  'oscal-version': '1.1.3',
}
const buildCatalog = (...controls: unknown[]) => ({ catalog: { metadata, controls } })
const buildControlCatalog = (fields: object) => buildCatalog({ id: 'c-1', title: 'C', ...fields })
const parseOnlyControl = (fields: object) => {
  const [control] = requireControls(parseOscalCatalogue(buildControlCatalog(fields)))
  if (!control) throw new Error('no control')
  return control
}
const buildStatement = (prose: string) => [{ name: 'statement', prose }]

describe('a catalog from another tool', () => {
  const controls = requireControls(parseOscalCatalogue(SAMPLE))
  const findControl = (identifier: string) => controls.find(control => control.identifier === identifier)

  it('becomes controls of any depth, in its order', () => {
    expect(controls.map(({ identifier, name }) => [identifier, name])).toEqual([
      ['chg-1', 'Changes are reviewed'],
      ['chg-1.1', 'Changes to the pipeline are reviewed'],
      ['chg-2', 'Changes are announced'],
      ['ops-run-1', 'What runs was built by us'],
      ['ops-x', 'Something else'],
      ['loose', 'In no group'],
    ])
  })

  it('has its statement as text, with parameters in their places', () => {
    expect(findControl('chg-1')?.description).toBe(
      [
        'The team:',
        '  a. has every change looked at by [who reviews], at least [number of reviewers]:',
        '    1. [before merging; within 30 days]; and',
        '    2. again after {{ insert: param, unheard-of }}.',
        '  b. keeps the reviews for 30 days.',
      ].join('\n'),
    )
    expect(findControl('chg-1.1')?.description).toBe('Pipelines count as code.')
    expect(findControl('loose')?.description).toBeNull()
  })

  it('keeps the links to web addresses', () => {
    expect(findControl('chg-1')?.links).toEqual({
      'Handbook of changes': 'https://handbook.example/changes',
      'How we review': 'https://wiki.example/review',
    })
  })

  it('tags the nearest group and the label, and archives withdrawn controls', () => {
    expect(controls.map(({ identifier, tags, archived }) => [identifier, tags, archived])).toEqual([
      ['chg-1', { oscal_group: 'chg', oscal_label: 'CHG 1' }, undefined],
      ['chg-1.1', { oscal_group: 'chg' }, undefined],
      ['chg-2', { oscal_group: 'chg' }, true],
      ['ops-run-1', { oscal_group: 'ops-run', oscal_label: 'OPS-1' }, undefined],
      ['ops-x', { oscal_group: 'ops' }, undefined],
      ['loose', {}, undefined],
    ])
    expect(parseOscalCatalogue(SAMPLE)).toMatchObject({ catalogue: { has_all_tags: false } })
  })

  it('shortens long texts with an ellipsis', () => {
    const { name, description } = parseOnlyControl({
      title: '💥'.repeat(300),
      parts: buildStatement('x'.repeat(70_000)),
    })
    expect([...name]).toHaveLength(255)
    expect(name.endsWith('💥…')).toBe(true)
    expect(description).toHaveLength(65_536)
    expect(description?.endsWith('x…')).toBe(true)
  })

  it('gives links of one name different names, and keeps as many as a control can have', () => {
    const link = { href: 'https://x.example', text: 'same' }
    expect(Object.keys(parseOnlyControl({ links: [link, link, link] }).links)).toEqual([
      'same',
      'same 2',
      'same 3',
    ])
    expect(Object.keys(parseOnlyControl({ links: Array(60).fill(link) }).links)).toHaveLength(50)
    const secret = { href: 'https://u:p@x.example', text: 'secret' }
    expect(parseOnlyControl({ links: [secret, { href: 'javascript:alert(1)' }] }).links).toEqual({})
  })

  it('ends where parameters insert each other, and stays small where they would grow', () => {
    const around = [{ id: 'a', select: { choice: ['{{ insert: param, a }}{{ insert: param, a }}'] } }]
    expect(
      parseOnlyControl({ params: around, parts: buildStatement('{{ insert: param, a }}') }).description,
    ).toContain('insert')
    const value = [{ id: 'a', values: ['x'.repeat(60_000)] }]
    const again = '{{ insert: param, a }}'.repeat(1_000)
    expect(parseOnlyControl({ params: value, parts: buildStatement(again) }).description).toHaveLength(65_536)
    const many = Array.from({ length: 300 }, (_, i) => ({
      id: `c${i}`,
      title: 'C',
      parts: buildStatement(again),
    }))
    expect(listErrors({ catalog: { metadata, params: value, controls: many } }).catalog).toContain('in total')
  })

  it.each<[string, unknown, string, string]>([
    ['null', null, 'catalog', 'valid dictionary'],
    ['a list', [], 'catalog', 'valid dictionary'],
    ['no catalog', {}, 'catalog', 'Field required'],
    ['no metadata', { catalog: {} }, 'catalog.metadata', 'Field required'],
    ['no title', { catalog: { metadata: {} } }, 'catalog.metadata.title', 'Field required'],
    [
      'another OSCAL',
      { catalog: { metadata: { ...metadata, 'oscal-version': '2.0' } } },
      'catalog.metadata.oscal-version',
      'version 1 of OSCAL [input: 2.0]',
    ],
    ['controls that are no list', { catalog: { metadata, controls: {} } }, 'catalog.controls', 'valid list'],
    ['a control that is a text', buildCatalog('x'), 'catalog.controls[0]', 'valid dictionary'],
    ['a control without an id', buildCatalog({ title: 'x' }), 'catalog.controls[0].id', 'Field required'],
    ['a control without a title', buildCatalog({ id: 'x' }), 'catalog.controls[0].title', 'Field required'],
    ['an id that is a number', buildCatalog({ id: 1, title: 'x' }), 'catalog.controls[0].id', 'valid string'],
    [
      'an id we do not take',
      buildCatalog({ id: 'ä', title: 'x' }),
      'catalog.controls[0].id',
      'match pattern',
    ],
    [
      'an id twice',
      buildCatalog({ id: 'a', title: 'x', controls: [{ id: 'a', title: 'y' }] }),
      'catalog.controls[0].controls[0].id',
      'catalog.controls[0] already has it',
    ],
    [
      'prose that is a number',
      buildControlCatalog({ parts: [{ name: 'statement', prose: 1 }] }),
      'catalog.controls[0].parts[0].prose',
      'valid string',
    ],
    [
      'values that are a text',
      buildControlCatalog({ params: [{ id: 'a', values: 'x' }] }),
      'catalog.controls[0].params[0].values',
      'valid list',
    ],
    [
      'a long label',
      buildControlCatalog({ props: [{ name: 'label', value: 'x'.repeat(1_025) }] }),
      'catalog.controls[0].props',
      "Tag 'oscal_label'",
    ],
    [
      'too many controls',
      buildCatalog(...Array.from({ length: 5_001 }, (_, i) => ({ id: `c${i}`, title: 'C' }))),
      'catalog',
      'at most 5000 controls',
    ],
  ])('refuses %s', (_, json, path, sentence) => expect(listErrors(json)[path]).toContain(sentence))

  it('never throws', () => {
    const junk = fc.letrec(tie => ({
      value: fc.oneof({ maxDepth: 4 }, fc.constantFrom(null, 1, 'x', '#a', true), tie('list'), tie('object')),
      list: fc.array(tie('value'), { maxLength: 3 }),
      object: fc.dictionary(
        fc.constantFrom(
          'catalog',
          'metadata',
          'controls',
          'groups',
          'id',
          'title',
          'parts',
          'props',
          'params',
          'links',
          'name',
          'value',
          'href',
          'back-matter',
          'resources',
          'rlinks',
          'select',
          'choice',
        ),
        tie('value'),
      ),
    }))
    fc.assert(
      fc.property(junk.object, json => void parseOscalCatalogue(json)),
      { numRuns: 500 },
    )
    fc.assert(
      fc.property(junk.object, control => void parseOscalCatalogue(buildCatalog(control))),
      { numRuns: 500 },
    )
  })
})

describe('a catalog of ours', () => {
  const controls: CatalogueControl[] = [
    {
      identifier: 'A-1',
      name: 'One',
      description: 'About one',
      links: { wiki: 'https://x.example/a' },
      tags: { team: 'blue' },
      archived: false,
    },
    { identifier: '4.1~x', name: 'Two\nlines', description: null, links: {}, tags: {}, archived: true },
  ]

  it('is written in OSCAL format', () => {
    const document = buildOscalCatalogue('acme', controls, MODIFIED)
    expect(findOscalProblems('catalogue', document)).toEqual([])
    expect(document).toMatchObject({
      catalog: {
        metadata: {
          title: 'Controls of acme',
          'last-modified': '2026-03-03T12:00:00.000Z',
          'oscal-version': '1.1.3',
        },
        controls: [
          {
            id: 'A-1',
            title: 'One',
            links: [{ href: 'https://x.example/a', rel: 'reference', text: 'wiki' }],
            parts: [{ id: 'A-1_smt', name: 'statement', prose: 'About one' }],
          },
          {
            id: 'id.4.1_tx',
            title: 'Two lines',
            props: [
              { name: 'status', value: 'withdrawn' },
              { name: 'identifier', value: '4.1~x' },
              { name: 'name', value: 'Two%0Alines' },
            ],
          },
        ],
      },
    })
    expect(buildOscalCatalogue('acme', controls, MODIFIED)).toEqual(document)
    expect(buildOscalCatalogue('other', controls, MODIFIED).catalog.uuid).not.toBe(document.catalog.uuid)
    expect(findOscalProblems('catalogue', buildOscalCatalogue('acme', [], MODIFIED))).toEqual([])
  })

  it('is valid and reads back as the same controls, whatever they contain', () => {
    fc.assert(
      fc.property(someControls, some => {
        const document = buildOscalCatalogue('acme', some, MODIFIED)
        expect(findOscalProblems('catalogue', document)).toEqual([])
        const back = requireControls(parseOscalCatalogue(JSON.parse(JSON.stringify(document))))
        // A catalog marks only withdrawn controls, so the others come back without `archived`.
        expect(back).toEqual(some.map(control => ({ ...control, archived: control.archived || undefined })))
      }),
      { numRuns: 300 },
    )
  })
})

describe('an OSCAL name', () => {
  it('is different for any two identifiers', () => {
    const identifier = fc.string({ unit: fc.constantFrom(...'aid1-._~t'), minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(identifier, identifier, (one, other) => {
        expect(toToken(one)).toMatch(/^[A-Za-z_][A-Za-z0-9._-]*$/)
        expect(toToken(one) === toToken(other)).toBe(one === other)
      }),
      { numRuns: 2_000 },
    )
    expect(toToken('id.a~')).toBe('id.id.a_t')
    expect(toToken('a~')).toBe('id.a_t')
    expect(toToken('a_t')).toBe('a_t')
    expect(toToken('id.a_t')).toBe('id.id.a__t')
  })

  it('is always the same uuid for the same words, and another for others', () => {
    expect(computeUuid('a', 'b')).toBe(computeUuid('a', 'b'))
    expect(
      new Set([computeUuid('a', 'b'), computeUuid('ab'), computeUuid('a', 'b', ''), computeUuid('b', 'a')])
        .size,
    ).toBe(4)
    expect(computeUuid('x')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('reads values and pairs back', () => {
    const text = fc.string({ unit: 'binary' })
    fc.assert(
      fc.property(text, text, (key, value) => {
        expect(unescapeValue(escapeValue(value))).toBe(value)
        expect(escapeValue(value)).toMatch(/^\S(.*\S)?$/)
        expect(parsePair(formatPair(key, value))).toEqual([key, value])
      }),
      { numRuns: 1_000 },
    )
    expect(parsePair('nothing')).toBeUndefined()
    expect(unescapeValue('%FF%zz')).toBe('%FF%zz')
  })
})

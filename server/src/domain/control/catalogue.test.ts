// Catalogues in YAML, and which format a file has.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BARE_CONTROL, listErrors, requireControls, someControls } from './catalogue.testing.ts'
import { type CatalogueFormat, detectFormat } from './catalogue.ts'
import { formatYamlCatalogue, parseYamlCatalogue } from './catalogue-yaml.ts'

describe('the format', () => {
  it.each<[string, CatalogueFormat]>([
    ['version: 1\ncontrols: []\n', 'yaml'],
    ['', 'yaml'],
    ['{"version": 1, "controls": []}', 'yaml'],
    ['# identifier, name\nversion: 1', 'yaml'],
    ['identifier: x', 'yaml'],
    ['identifier,name\n', 'csv'],
    ['\ufeff"identifier","name"\r\n', 'csv'],
    ['name,identifier', 'csv'],
    ['{"catalog": {}}', 'oscal'],
    ['\n { "$schema": "x",\n "catalog" : {}}', 'oscal'],
  ])('of %j is %s', (text, format) => expect(detectFormat(text)).toBe(format))
})

describe('YAML', () => {
  it('reads the given fields and leaves the others undefined', () => {
    const yaml = `version: 1
controls:
  - identifier: A-1
    name: One
  - identifier: A-2
    name: Two
    description: |
      First line
      second line
    links: { policy: https://wiki.example/two }
    tags: { team: blue, empty: "" }
    archived: true
  - { identifier: A-3, name: Three, description: "", tags: null, archived: null, links: null }
`
    expect(requireControls(parseYamlCatalogue(yaml))).toEqual([
      BARE_CONTROL,
      {
        identifier: 'A-2',
        name: 'Two',
        description: 'First line\nsecond line\n',
        links: { policy: 'https://wiki.example/two' },
        tags: { team: 'blue', empty: '' },
        archived: true,
      },
      { ...BARE_CONTROL, identifier: 'A-3', name: 'Three' },
    ])
  })

  const formatControl = (fields: string) => `version: 1\ncontrols:\n  - {identifier: a, name: A, ${fields}}\n`
  it.each([
    ['no version', 'controls: []', 'catalogue.version', 'line 1, column 1: Field required'],
    [
      'another version',
      'version: 2\ncontrols: []',
      'catalogue.version',
      'line 1, column 10: Input should be 1',
    ],
    ['no controls', 'version: 1', 'catalogue.controls', 'line 1, column 1: Field required'],
    [
      'an unknown field',
      formatControl('owner: x'),
      'catalogue.controls[0].owner',
      'line 3, column 30: Extra inputs',
    ],
    [
      'a bad identifier',
      'version: 1\ncontrols:\n- {identifier: a b, name: x}',
      'catalogue.controls[0].identifier',
      'line 3, column 16: String should match pattern',
    ],
    [
      'a long identifier',
      `version: 1\ncontrols:\n- {identifier: ${'a'.repeat(257)}, name: x}`,
      'catalogue.controls[0].identifier',
      'at most 256 characters',
    ],
    ['no name', 'version: 1\ncontrols:\n- identifier: a', 'catalogue.controls[0].name', 'Field required'],
    [
      'an empty name',
      'version: 1\ncontrols:\n- {identifier: a, name: ""}',
      'catalogue.controls[0].name',
      'at least 1 character',
    ],
    [
      'a number for a name',
      'version: 1\ncontrols:\n- {identifier: a, name: 7}',
      'catalogue.controls[0].name',
      'put quotes around it',
    ],
    [
      'a long description',
      formatControl(`description: ${'x'.repeat(65_537)}`),
      'catalogue.controls[0].description',
      'at most 65536 characters',
    ],
    [
      'a link that is none',
      formatControl('links: {a: "javascript:x"}'),
      'catalogue.controls[0].links.a',
      'web address',
    ],
    [
      'a link with a password',
      formatControl('links: {a: "https://u:p@x.example"}'),
      'catalogue.controls[0].links.a',
      'web address',
    ],
    [
      'a long label',
      formatControl(`links: {${'a'.repeat(101)}: "https://x.example"}`),
      `catalogue.controls[0].links.${'a'.repeat(100)}`,
      'Key: String should have at most 100',
    ],
    [
      'a link twice',
      formatControl('links: {a: "https://x.example", a: "https://y.example"}'),
      'catalogue.controls[0].links.a',
      'Key should be given only once',
    ],
    ['links that are a list', formatControl('links: [a]'), 'catalogue.controls[0].links', 'valid dictionary'],
    [
      'too many tags',
      formatControl(`tags: {${Array.from({ length: 101 }, (_, i) => `t${i}: x`).join(', ')}}`),
      'catalogue.controls[0].tags',
      'at most 100 entries',
    ],
    [
      'a bad tag',
      formatControl('tags: {"-a": x}'),
      'catalogue.controls[0].tags.-a',
      'Key: String should match pattern',
    ],
    [
      'a number as a tag',
      formatControl('tags: {a: 1}'),
      'catalogue.controls[0].tags.a',
      'put quotes around it',
    ],
    [
      'archived that is a text',
      formatControl('archived: "true"'),
      'catalogue.controls[0].archived',
      'valid boolean',
    ],
    ['an unknown tag of YAML', formatControl('description: !!binary eA=='), 'catalogue', 'is not permitted'],
    ['an alias to nothing', formatControl('description: *x'), 'catalogue', 'Alias'],
    ['a text that is no YAML', '{', 'catalogue', 'line 1'],
    ['a list', '[]', 'catalogue', 'valid dictionary'],
    ['nothing', '', 'catalogue', 'valid dictionary'],
  ])('refuses %s', (_, yaml, path, sentence) => {
    const errors = listErrors(parseYamlCatalogue(yaml))
    expect(errors[path]).toContain(sentence)
    expect(errors.catalogue_file).toContain('validation errors for Catalogue')
  })

  it('names both lines of a duplicate identifier', () => {
    const yaml =
      'version: 1\ncontrols:\n- {identifier: a, name: x}\n- {identifier: b, name: x}\n- {identifier: a, name: x}\n'
    expect(listErrors(parseYamlCatalogue(yaml))['catalogue.controls[2].identifier']).toMatch(
      /^line 5, .*line 3 already has it/,
    )
  })

  it('refuses bombs before they go off', () => {
    const levels = Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`)
    expect(listErrors(parseYamlCatalogue(`a0: &a0 x\n${levels.join('\n')}`)).catalogue).toContain(
      'at most 50 aliases',
    )
    expect(listErrors(parseYamlCatalogue(`[`.repeat(100_000))).catalogue).toContain('nested too deeply')
    expect(listErrors(parseYamlCatalogue('x'.repeat(1024 * 1024 + 1))).catalogue).toContain(
      'at most 1048576 characters',
    )
  })

  it('accepts 5000 controls and not one more', () => {
    const makeControls = (n: number) =>
      Array.from({ length: n }, (_, i) => ({
        ...BARE_CONTROL,
        identifier: `c-${i}`,
        description: 'd',
        tags: {},
        archived: false,
      }))
    const largest = formatYamlCatalogue(makeControls(5_000))
    expect(requireControls(parseYamlCatalogue(largest))).toHaveLength(5_000)
    expect(
      listErrors(parseYamlCatalogue(formatYamlCatalogue(makeControls(5_001))))['catalogue.controls'],
    ).toContain('at most 5000')
  })

  it('reads back whatever was written', () => {
    fc.assert(
      fc.property(someControls, controls => {
        expect(requireControls(parseYamlCatalogue(formatYamlCatalogue(controls)))).toEqual(controls)
      }),
      { numRuns: 300 },
    )
  })

  it('is written so that people can read it', () => {
    const control = {
      ...BARE_CONTROL,
      description: 'Two\nlines\n',
      links: { policy: 'https://x.example' },
      tags: { team: 'blue' },
      archived: false,
    }
    expect(formatYamlCatalogue([control])).toBe(`version: 1
controls:
  - identifier: A-1
    name: One
    description: |
      Two
      lines
    links:
      policy: https://x.example
    tags:
      team: blue
    archived: false
`)
  })
})

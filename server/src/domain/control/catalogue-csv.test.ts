// Catalogues in CSV.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BARE_CONTROL, listErrors, requireControls, someControls } from './catalogue.testing.ts'
import { formatCsvCatalogue, parseCsvCatalogue } from './catalogue-csv.ts'

describe('CSV', () => {
  it('reads the given fields and leaves the others undefined', () => {
    expect(requireControls(parseCsvCatalogue('identifier,name\nA-1,One\n'))).toEqual([BARE_CONTROL])
    const csv =
      '\ufeffname,identifier,archived,tags,links,description\r\n\r\n"Two, ""quoted""",A-2,TRUE,team=blue;empty=,' +
      'a\\;b=https://x.example/?q=1\\;2,"First\r\nsecond"\r\nOne,A-1,,,,'
    expect(requireControls(parseCsvCatalogue(csv))).toEqual([
      {
        identifier: 'A-2',
        name: 'Two, "quoted"',
        description: 'First\r\nsecond',
        links: { 'a;b': 'https://x.example/?q=1;2' },
        tags: { team: 'blue', empty: '' },
        archived: true,
      },
      { ...BARE_CONTROL, tags: {} },
    ])
  })

  it.each([
    ['nothing', '', 'catalogue.identifier', 'line 1, column 1: Column required'],
    ['no name', 'identifier,tags\n', 'catalogue.name', 'line 1, column 1: Column required'],
    ['an unknown column', 'identifier,name,owner\n', 'catalogue.owner', 'line 1, column 17: Extra inputs'],
    [
      'a column twice',
      'identifier,name,name\n',
      'catalogue.name',
      'line 1, column 17: Column should be given only once',
    ],
    [
      'a cell too few',
      'identifier,name\na\n',
      'catalogue.controls[0]',
      'line 2, column 1: Row should have 2 cells, it has 1',
    ],
    [
      'a cell too many',
      'identifier,name\na,b,c\n',
      'catalogue.controls[0]',
      'Row should have 2 cells, it has 3',
    ],
    [
      'a line with nothing but an empty quoted cell',
      'identifier,name\n""\n',
      'catalogue.controls[0]',
      'line 2, column 1: Row should have 2 cells, it has 1',
    ],
    [
      'far too many cells, although one of them is quoted',
      `identifier,name\n${'a,'.repeat(50)}b,"c"\n`,
      'catalogue',
      'line 2, column 101: Row should have at most 50 cells',
    ],
    [
      'a quote in the middle',
      'identifier,name\na,b"c\n',
      'catalogue',
      'line 2, column 4: A cell with a quote',
    ],
    [
      'a quote that stays open',
      'identifier,name\na,"b\n\nc',
      'catalogue',
      'line 2, column 3: The quote is never closed',
    ],
    ['text after a quote', 'identifier,name\n"x\ny",b\na,"b" c\n', 'catalogue', 'line 4, column 6: A comma'],
    [
      'a bad identifier',
      'identifier,name\na b,c\n',
      'catalogue.controls[0].identifier',
      'String should match pattern',
    ],
    [
      'an empty name',
      'identifier,name\na,\n',
      'catalogue.controls[0].name',
      'line 2, column 3: String should have at least 1',
    ],
    [
      'a word for archived',
      'identifier,name,archived\na,b,maybe\n',
      'catalogue.controls[0].archived',
      'true, false or nothing',
    ],
    [
      'a pair without a value',
      'identifier,name,tags\na,b,team\n',
      'catalogue.controls[0].tags',
      "written as 'label=value'",
    ],
    [
      'a tag twice',
      'identifier,name,tags\na,b,t=1;t=2\n',
      'catalogue.controls[0].tags',
      "Pair 't': Key should be given only once",
    ],
    [
      'a link that is none',
      'identifier,name,links\na,b,x=ftp://y\n',
      'catalogue.controls[0].links',
      "Pair 'x': Input should be a web address",
    ],
  ])('refuses %s', (_, csv, path, sentence) => {
    const errors = listErrors(parseCsvCatalogue(csv))
    expect(errors[path]).toContain(sentence)
    expect(errors.catalogue_file).toContain('validation errors for Catalogue')
  })

  it('names both lines of a duplicate identifier', () => {
    const csv = 'identifier,name\na,"x\n\n"\nb,x\na,x\n'
    expect(listErrors(parseCsvCatalogue(csv))['catalogue.controls[2].identifier']).toMatch(
      /^line 6, .*line 2 already has it/,
    )
  })

  it('reads no more of a huge file than it has to', () => {
    const findError = (csv: string, path: string) => listErrors(parseCsvCatalogue(csv))[path]
    expect(findError(','.repeat(5_000_000), 'catalogue')).toContain(
      'line 1, column 51: Row should have at most 50 cells',
    )
    const tags = `identifier,name,tags\na,b,${';'.repeat(500_001)}\n`
    expect(findError(tags, 'catalogue.controls[0].tags')).toContain('at most 500000 characters')
  })

  it('accepts 5000 controls and not one more', () => {
    const formatCsv = (n: number) =>
      `identifier,name\n${Array.from({ length: n }, (_, i) => `c${i},x\n`).join('')}`
    expect(requireControls(parseCsvCatalogue(formatCsv(5_000)))).toHaveLength(5_000)
    expect(listErrors(parseCsvCatalogue(formatCsv(5_001))).catalogue).toContain(
      'line 5002, column 1: Catalogue should have at most 5000',
    )
  })

  it('reads back whatever was written', () => {
    fc.assert(
      fc.property(someControls, controls => {
        expect(requireControls(parseCsvCatalogue(formatCsvCatalogue(controls)))).toEqual(controls)
      }),
      { numRuns: 300 },
    )
  })

  it('has no cell that a spreadsheet would run', () => {
    fc.assert(
      fc.property(someControls, controls => {
        // A cell begins at the start, after a line break or after a comma; checking more positions does no harm.
        const cells = formatCsvCatalogue(controls).split('\n')[0]?.split(',') ?? []
        expect(cells).toEqual(['identifier', 'name', 'description', 'links', 'tags', 'archived'])
        for (const control of controls) {
          const [, row = ''] = formatCsvCatalogue([{ ...control, identifier: 'x' }]).split(/(?<=archived)\n/s)
          expect(row).toMatch(/^x,"?[^=+\-@\t\r＝＋－＠]/)
        }
      }),
      { numRuns: 200 },
    )
  })
})

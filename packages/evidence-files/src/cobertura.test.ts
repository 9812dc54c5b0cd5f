import { describe, expect, it } from 'vitest'
import { changeFixture, expectProblem, openText, readFixture } from './fixtures.testing.ts'
import { readCobertura } from './index.ts'

const read = (text: string) => readCobertura(openText('a.xml', text))

describe('Cobertura', () => {
  it('is summarized', () => {
    expect(readCobertura(readFixture('cobertura.xml'))).toEqual({
      tool: 'cobertura',
      tool_version: '7.6.1',
      line_rate: 0.75,
      branch_rate: 0.5,
      totals: { lines_covered: 3, lines_valid: 4, branches_covered: 1, branches_valid: 2, classes: 2 },
      findings: [{ file: 'src/round.ts', line_rate: 0.5 }],
      truncated: 0,
    })
  })

  it('counts lines and branches if the report has no totals', () => {
    const file = changeFixture('cobertura.xml', 'lines-valid="4" lines-covered="3" ', '')
    expect(readCobertura(file).totals).toMatchObject({ lines_covered: 3, lines_valid: 4 })
  })

  it('has no branch rate if there are no branches', () => {
    expect(read('<coverage line-rate="1" branch-rate="0"/>')).toMatchObject({
      line_rate: 1,
      branch_rate: null,
    })
  })

  it('lists the classes with the lowest rates', () => {
    const classes = Array.from(
      { length: 150 },
      (_, i) => `<class filename="${i}.ts" line-rate="${1 - i / 150}"/>`,
    )
    const { findings, truncated } = read(`<coverage line-rate="0.5">${classes.join('')}</coverage>`)
    expect(findings).toHaveLength(100)
    expect(findings[0]?.file).toBe('149.ts')
    expect(truncated).toBe(49)
  })
})

describe('unreadable Cobertura', () => {
  it.each([
    [
      'another root',
      '<report/>',
      "a.xml, line 1: expected the element <coverage> of a Cobertura report, found <'report'>.",
    ],
    ['no rate', '<coverage/>', 'a.xml, line 1: expected the attribute line-rate of <coverage>.'],
    [
      'a rate that is none',
      '<coverage line-rate="NaN"/>',
      "expected a number from 0 to 1 in line-rate of <coverage>, found 'NaN'.",
    ],
    ['a rate in percent', '<coverage line-rate="85"/>', "found '85'"],
    ['a negative rate', '<coverage line-rate="-0.1"/>', "found '-0.1'"],
    [
      'a wrong number of hits',
      '<coverage line-rate="1">\n<line hits="often"/></coverage>',
      "a.xml, line 2: expected a whole number in hits of <line>, found 'often'.",
    ],
    [
      'declarations',
      '<!DOCTYPE coverage [<!ENTITY a "b">]><coverage line-rate="1"/>',
      'declarations in the document type are not accepted',
    ],
  ])('is refused: %s', (_, text, sentence) => expectProblem(() => read(text), sentence))
})

import { describe, expect, it } from 'vitest'
import { formatCsv } from './csv.ts'

describe('a CSV', () => {
  it('has a line for each item and a column for each field of any item', () => {
    expect(
      formatCsv([
        { name: 'a', count: -1 },
        { name: 'b', is_new: true },
      ]),
    ).toBe('name,count,is_new\na,-1,\nb,,true\n')
  })

  it('has no lines without items', () => expect(formatCsv([])).toBe('\n'))

  it('has one column for items without fields', () => expect(formatCsv(['OK'])).toBe('value\nOK\n'))

  it.each([
    ['a,b', '"a,b"'],
    ['say "no"', '"say ""no"""'],
    ['two\nlines', '"two\nlines"'],
    ['\u001b[31m', '\\u001b[31m'],
    ['cr\rlf', 'cr\\u000dlf'],
    [null, ''],
    [[1, 'x'], '"[1,""x""]"'],
    [{ a: 1 }, '"{""a"":1}"'],
    [1.5, '1.5'],
  ])('writes %j as %s', (value, cell) => expect(formatCsv([{ value }])).toBe(`value\n${cell}\n`))

  it.each(['=1+1', '+1', '-1', '@sum', '\tx', '\n=1', '\r=1'])('lets no text run as a formula: %j', text => {
    const [, cell = ''] = /^value\n"?(.*)$/s.exec(formatCsv([{ value: text }])) ?? []
    expect(cell).toMatch(/^'/)
  })

  it('lets no name of a field run as a formula', () => expect(formatCsv([{ '=a': 1 }])).toBe("'=a\n1\n"))
})

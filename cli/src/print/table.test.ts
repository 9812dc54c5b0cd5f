import { describe, expect, it } from 'vitest'
import { escapeControls, formatFields, formatPairs, formatState, formatTable, formatTime } from './table.ts'

describe('a table', () => {
  it('aligns its columns by characters, without spaces at the end', () => {
    expect(
      formatTable([
        ['NAME', 'STATE'],
        ['東京', 'ok'],
        ['a-long-name', 'bad'],
      ]),
    ).toBe('NAME         STATE\n東京           ok\na-long-name  bad')
  })

  it('marks missing values, and keeps a row on one line', () => {
    expect(
      formatTable([
        ['A', 'B'],
        [null, 'one\ntwo'],
        ['', 0],
      ]),
    ).toBe('A    B\nN/A  one two\nN/A  0')
  })

  it.each([
    ['an escape sequence', 'a\u001b[31mred', 'a\\u001b[31mred'],
    ['a carriage return', 'ok\rfake', 'ok\\u000dfake'],
    ['a mark that reverses text', 'a\u202ecod.exe', 'a\\u202ecod.exe'],
    ['a line separator', 'a\u2028b', 'a\\u2028b'],
    ['a bell', '\u0007', '\\u0007'],
    ['a control character of eight bits', '\u009b31m', '\\u009b31m'],
  ])('shows %s instead of sending it to the terminal', (_, stored, shown) => {
    expect(escapeControls(stored)).toBe(shown)
    expect(formatTable([[stored]])).toBe(shown)
    expect(formatFields([['Name', stored]])).toContain(shown)
  })

  it('keeps line feeds and tabs of a text', () => expect(escapeControls('a\n\tb')).toBe('a\n\tb'))
})

describe('fields', () => {
  it('align their values, also of several lines', () => {
    expect(
      formatFields([
        ['A', 'x'],
        ['Longer', 'one\ntwo'],
        ['None', undefined],
      ]),
    ).toBe('A:       x\nLonger:  one\n         two\nNone:    N/A')
  })
})

describe('values', () => {
  it.each([
    [1_772_539_200, '2026-03-03 12:00:00Z'],
    [1_772_539_200.9, '2026-03-03 12:00:00Z'],
    [null, 'N/A'],
    [Number.NaN, 'N/A'],
  ])('of time %s are shown as %s', (seconds, shown) => expect(formatTime(seconds)).toBe(shown))

  it.each([
    [true, 'COMPLIANT'],
    [false, 'NON-COMPLIANT'],
    [null, 'UNKNOWN'],
    [undefined, 'UNKNOWN'],
  ])('of state %s are shown as %s', (state, shown) => expect(formatState(state)).toBe(shown))

  it('of pairs are shown in a row', () => expect(formatPairs({ a: 1, b: 'x' })).toBe('a=1, b=x'))
})

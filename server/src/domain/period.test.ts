import { describe, expect, it } from 'vitest'
import { setTimeZoneFarFromUtc } from '../../test/time-zone.ts'
import {
  computeLengthInDays,
  computeMedian,
  formatDay,
  listDays,
  parseInstant,
  resolvePeriod,
} from './period.ts'

setTimeZoneFarFromUtc()

const toDate = (text: string) => new Date(text)

describe('a time', () => {
  it.each([
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['2026-03-01T12:30', '2026-03-01T12:30:00.000Z'],
    ['2026-03-01T12:30:15', '2026-03-01T12:30:15.000Z'],
    ['2026-03-01T12:30:15Z', '2026-03-01T12:30:15.000Z'],
    ['2026-03-01T12:30:15.25Z', '2026-03-01T12:30:15.250Z'],
    ['2026-03-01T12:30:15+02:00', '2026-03-01T10:30:15.000Z'],
    ['2026-03-01T12:30:15 02:00', '2026-03-01T10:30:15.000Z'],
    ['2026-03-01T12:30:15-02:30', '2026-03-01T15:00:15.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['0', '1970-01-01T00:00:00.000Z'],
    ['1772539200.5', '2026-03-03T12:00:00.500Z'],
  ])('%s is %s', (text, expected) => expect(parseInstant(text)?.toISOString()).toBe(expected))

  it.each([
    '',
    'now',
    '2026-02-30',
    '2026-13-01',
    '2026-3-1',
    '2026-03-01T25:00:00Z',
    '2026-03-01T12:61',
    '2026-03-01 12:00:00',
    '0000-01-01',
    '-1',
    '1e9',
    '999999999999',
  ])('%j is invalid', text => expect(parseInstant(text)).toBeUndefined())
})

describe('a period', () => {
  const now = toDate('2026-03-31T12:00:00Z')

  it('ends now and has the default length, unless given', () => {
    expect(resolvePeriod({ from: undefined, to: undefined }, 30, now)).toEqual({
      from: toDate('2026-03-01T12:00:00Z'),
      to: now,
    })
    const to = toDate('2026-01-31T00:00:00Z')
    expect(resolvePeriod({ from: undefined, to }, 30, now)).toEqual({
      from: toDate('2026-01-01T00:00:00Z'),
      to,
    })
    expect(resolvePeriod({ from: to, to: undefined }, 30, now)).toEqual({ from: to, to: now })
  })

  it('touches every day from the first to the last', () => {
    const period = { from: toDate('2026-02-27T23:59:59Z'), to: toDate('2026-03-02T00:00:00Z') }
    expect(listDays(period)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02'])
    expect(listDays({ from: now, to: now })).toEqual(['2026-03-31'])
    expect(formatDay(now)).toBe('2026-03-31')
  })

  it('has a length, which is negative if its bounds are reversed', () => {
    const period = { from: toDate('2026-03-30T00:00:00Z'), to: now }
    expect(computeLengthInDays(period)).toBe(1.5)
    expect(computeLengthInDays({ from: period.to, to: period.from })).toBe(-1.5)
  })
})

describe('the median', () => {
  it.each<[number[], number]>([
    [[], 0],
    [[3], 3],
    [[10, 1, 2], 2],
    [[4, 1, 2, 10], 3],
  ])('of %j is %d', (values, middle) => expect(computeMedian(values)).toBe(middle))
})

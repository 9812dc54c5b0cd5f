import { describe, expect, it } from 'vitest'
import { parseBound, parseInterval } from './interval.ts'

const NOW = new Date('2026-03-31T10:20:30Z')

const makeIndex = (index: number) => ({ kind: 'index', index })
const makeBehind = (behind: number) => ({ kind: 'behind', behind })
const makeTimeExpression = (iso: string) => ({ kind: 'at', time: new Date(iso) })
const latest = makeBehind(0)

describe('an interval', () => {
  it.each([
    ['', makeIndex(1), latest],
    ['NOW', latest, latest],
    ['now', latest, latest],
    ['5', makeIndex(5), makeIndex(5)],
    ['-2', makeIndex(-2), makeIndex(-2)],
    ['~3', makeBehind(3), makeBehind(3)],
    ['1..NOW', makeIndex(1), latest],
    ['~5..NOW', makeBehind(5), latest],
    ['~5..~2', makeBehind(5), makeBehind(2)],
    ['3..7', makeIndex(3), makeIndex(7)],
    ['7..3', makeIndex(7), makeIndex(3)],
    ['#3..#7', makeIndex(3), makeIndex(7)],
    ['-3..-1', makeIndex(-3), makeIndex(-1)],
    ['3..', makeIndex(3), latest],
    ['..3', latest, makeIndex(3)],
    ['..', latest, latest],
    ['@{2.days.ago}..@{now}', makeTimeExpression('2026-03-29T10:20:30Z'), latest],
    ['@{2026-01-02T03:04:05}..NOW', makeTimeExpression('2026-01-02T03:04:05Z'), latest],
    ['@{1.month.ago}..', makeTimeExpression('2026-02-28T10:20:30Z'), latest],
    ['@{1.hour.ago}', makeTimeExpression('2026-03-31T09:20:30Z'), makeTimeExpression('2026-03-31T09:20:30Z')],
  ])('%j is read', (text, from, to) => expect(parseInterval(text, NOW)).toEqual({ from, to }))

  it.each([
    '0',
    '1.2',
    '1...3',
    '1..2..3',
    '...',
    ' ',
    '1 .. 2',
    '0..NOW',
    '1..0',
    'x',
    'x..1',
    '1..x',
    '1-3',
    '~',
  ])('%j is refused', text => expect(parseInterval(text, NOW)).toBeUndefined())
  it.each(['1h..NOW', '1h', 'Now', '@{0.days.ago}..NOW', '@{..}'])('%j is refused', text =>
    expect(parseInterval(text, NOW)).toBeUndefined(),
  )
})

describe('a bound', () => {
  it.each([
    ['3', makeIndex(3)],
    ['-1', makeIndex(-1)],
    ['#3', makeIndex(3)],
    ['~2', makeBehind(2)],
    ['NOW', latest],
    ['now', latest],
    ['@{1.week.ago}', makeTimeExpression('2026-03-24T10:20:30Z')],
    ['45s', makeTimeExpression('2026-03-31T10:19:45Z')],
    ['1sec', makeTimeExpression('2026-03-31T10:20:29Z')],
    ['30secs', makeTimeExpression('2026-03-31T10:20:00Z')],
    ['1second', makeTimeExpression('2026-03-31T10:20:29Z')],
    ['90seconds', makeTimeExpression('2026-03-31T10:19:00Z')],
    ['30m', makeTimeExpression('2026-03-31T09:50:30Z')],
    ['1min', makeTimeExpression('2026-03-31T10:19:30Z')],
    ['30mins', makeTimeExpression('2026-03-31T09:50:30Z')],
    ['1minute', makeTimeExpression('2026-03-31T10:19:30Z')],
    ['2minutes', makeTimeExpression('2026-03-31T10:18:30Z')],
    ['1h', makeTimeExpression('2026-03-31T09:20:30Z')],
    ['1hr', makeTimeExpression('2026-03-31T09:20:30Z')],
    ['2hrs', makeTimeExpression('2026-03-31T08:20:30Z')],
    ['1hour', makeTimeExpression('2026-03-31T09:20:30Z')],
    ['12hours', makeTimeExpression('2026-03-30T22:20:30Z')],
    ['1d', makeTimeExpression('2026-03-30T10:20:30Z')],
    ['1day', makeTimeExpression('2026-03-30T10:20:30Z')],
    ['2days', makeTimeExpression('2026-03-29T10:20:30Z')],
    ['1w', makeTimeExpression('2026-03-24T10:20:30Z')],
    ['1week', makeTimeExpression('2026-03-24T10:20:30Z')],
    ['2weeks', makeTimeExpression('2026-03-17T10:20:30Z')],
    ['1month', makeTimeExpression('2026-02-28T10:20:30Z')],
    ['3months', makeTimeExpression('2025-12-31T10:20:30Z')],
    ['1y', makeTimeExpression('2025-03-31T10:20:30Z')],
    ['1year', makeTimeExpression('2025-03-31T10:20:30Z')],
    ['2years', makeTimeExpression('2024-03-31T10:20:30Z')],
  ])('%j is read', (text, expected) => expect(parseBound(text, NOW)).toEqual(expected))

  it.each([
    '',
    '0',
    '0h',
    '-1h',
    '1.5h',
    'h',
    '1 hour',
    '1H',
    '1fortnight',
    '1hour ago',
    '1constructor',
    '..',
  ])('%j is refused', text => expect(parseBound(text, NOW)).toBeUndefined())
  it.each(['1..2', '9999years', `${'9'.repeat(400)}days`, `${'9'.repeat(400)}months`])(
    '%j is refused',
    text => expect(parseBound(text, NOW)).toBeUndefined(),
  )
})

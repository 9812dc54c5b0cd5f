import { describe, expect, it } from 'vitest'
import { parseBound, parseInterval } from './interval.ts'

const NOW = new Date('2026-03-31T10:20:30Z')

const makeIndex = (index: number) => ({ kind: 'index', index })
const makeBehind = (behind: number) => ({ kind: 'behind', behind })
const makeMoment = (iso: string) => ({ kind: 'at', moment: new Date(iso) })
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
    ['@{2.days.ago}..@{now}', makeMoment('2026-03-29T10:20:30Z'), makeMoment('2026-03-31T10:20:30Z')],
    ['@{2026-01-02T03:04:05}..NOW', makeMoment('2026-01-02T03:04:05Z'), latest],
    ['@{1.month.ago}..', makeMoment('2026-02-28T10:20:30Z'), latest],
    ['@{1.hour.ago}', makeMoment('2026-03-31T09:20:30Z'), makeMoment('2026-03-31T09:20:30Z')],
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
    ['@{1.week.ago}', makeMoment('2026-03-24T10:20:30Z')],
    ['45s', makeMoment('2026-03-31T10:19:45Z')],
    ['1sec', makeMoment('2026-03-31T10:20:29Z')],
    ['30secs', makeMoment('2026-03-31T10:20:00Z')],
    ['1second', makeMoment('2026-03-31T10:20:29Z')],
    ['90seconds', makeMoment('2026-03-31T10:19:00Z')],
    ['30m', makeMoment('2026-03-31T09:50:30Z')],
    ['1min', makeMoment('2026-03-31T10:19:30Z')],
    ['30mins', makeMoment('2026-03-31T09:50:30Z')],
    ['1minute', makeMoment('2026-03-31T10:19:30Z')],
    ['2minutes', makeMoment('2026-03-31T10:18:30Z')],
    ['1h', makeMoment('2026-03-31T09:20:30Z')],
    ['1hr', makeMoment('2026-03-31T09:20:30Z')],
    ['2hrs', makeMoment('2026-03-31T08:20:30Z')],
    ['1hour', makeMoment('2026-03-31T09:20:30Z')],
    ['12hours', makeMoment('2026-03-30T22:20:30Z')],
    ['1d', makeMoment('2026-03-30T10:20:30Z')],
    ['1day', makeMoment('2026-03-30T10:20:30Z')],
    ['2days', makeMoment('2026-03-29T10:20:30Z')],
    ['1w', makeMoment('2026-03-24T10:20:30Z')],
    ['1week', makeMoment('2026-03-24T10:20:30Z')],
    ['2weeks', makeMoment('2026-03-17T10:20:30Z')],
    ['1month', makeMoment('2026-02-28T10:20:30Z')],
    ['3months', makeMoment('2025-12-31T10:20:30Z')],
    ['1y', makeMoment('2025-03-31T10:20:30Z')],
    ['1year', makeMoment('2025-03-31T10:20:30Z')],
    ['2years', makeMoment('2024-03-31T10:20:30Z')],
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

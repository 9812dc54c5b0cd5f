import { describe, expect, it } from 'vitest'
import { parseBound, parseInterval } from './interval.ts'

const NOW = new Date('2026-03-31T10:20:30Z')

const index = (index: number) => ({ kind: 'index', index })
const behind = (behind: number) => ({ kind: 'behind', behind })
const at = (iso: string) => ({ kind: 'at', moment: new Date(iso) })
const latest = behind(0)

describe('an interval', () => {
  it.each([
    ['', index(1), latest],
    ['NOW', latest, latest],
    ['now', latest, latest],
    ['5', index(5), index(5)],
    ['-2', index(-2), index(-2)],
    ['~3', behind(3), behind(3)],
    ['1..NOW', index(1), latest],
    ['~5..NOW', behind(5), latest],
    ['~5..~2', behind(5), behind(2)],
    ['3..7', index(3), index(7)],
    ['7..3', index(7), index(3)],
    ['#3..#7', index(3), index(7)],
    ['-3..-1', index(-3), index(-1)],
    ['3..', index(3), latest],
    ['..3', latest, index(3)],
    ['..', latest, latest],
    ['@{2.days.ago}..@{now}', at('2026-03-29T10:20:30Z'), at('2026-03-31T10:20:30Z')],
    ['@{2026-01-02T03:04:05}..NOW', at('2026-01-02T03:04:05Z'), latest],
    ['@{1.month.ago}..', at('2026-02-28T10:20:30Z'), latest],
    ['@{1.hour.ago}', at('2026-03-31T09:20:30Z'), at('2026-03-31T09:20:30Z')],
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
    ['3', index(3)],
    ['-1', index(-1)],
    ['#3', index(3)],
    ['~2', behind(2)],
    ['NOW', latest],
    ['now', latest],
    ['@{1.week.ago}', at('2026-03-24T10:20:30Z')],
    ['45s', at('2026-03-31T10:19:45Z')],
    ['1sec', at('2026-03-31T10:20:29Z')],
    ['30secs', at('2026-03-31T10:20:00Z')],
    ['1second', at('2026-03-31T10:20:29Z')],
    ['90seconds', at('2026-03-31T10:19:00Z')],
    ['30m', at('2026-03-31T09:50:30Z')],
    ['1min', at('2026-03-31T10:19:30Z')],
    ['30mins', at('2026-03-31T09:50:30Z')],
    ['1minute', at('2026-03-31T10:19:30Z')],
    ['2minutes', at('2026-03-31T10:18:30Z')],
    ['1h', at('2026-03-31T09:20:30Z')],
    ['1hr', at('2026-03-31T09:20:30Z')],
    ['2hrs', at('2026-03-31T08:20:30Z')],
    ['1hour', at('2026-03-31T09:20:30Z')],
    ['12hours', at('2026-03-30T22:20:30Z')],
    ['1d', at('2026-03-30T10:20:30Z')],
    ['1day', at('2026-03-30T10:20:30Z')],
    ['2days', at('2026-03-29T10:20:30Z')],
    ['1w', at('2026-03-24T10:20:30Z')],
    ['1week', at('2026-03-24T10:20:30Z')],
    ['2weeks', at('2026-03-17T10:20:30Z')],
    ['1month', at('2026-02-28T10:20:30Z')],
    ['3months', at('2025-12-31T10:20:30Z')],
    ['1y', at('2025-03-31T10:20:30Z')],
    ['1year', at('2025-03-31T10:20:30Z')],
    ['2years', at('2024-03-31T10:20:30Z')],
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

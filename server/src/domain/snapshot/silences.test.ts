import { describe, expect, it } from 'vitest'
import { isSilent, listSilences, mergeSilences, type SilenceEvent } from './silences.ts'

const at = (seconds: number) => new Date(seconds * 1000)
/** Last report at 100, every 10 seconds: stale at 130. */
const stale = (noticed: number, last_reported_at: number | null = 100): SilenceEvent => ({
  kind: 'environment_stale',
  happened_at: at(noticed),
  last_reported_at,
  expected_report_interval: 10,
})
const again = (seconds: number): SilenceEvent => ({
  kind: 'environment_reporting_again',
  happened_at: at(seconds),
  last_reported_at: null,
  expected_report_interval: null,
})

describe('silences', () => {
  it.each<[string, SilenceEvent[], number | null, [number, number | null][]]>([
    ['none', [], 500, []],
    ['one that has ended', [stale(135), again(200)], 500, [[130, 200]]],
    ['one whose beginning is not known exactly', [stale(135, null), again(200)], 500, [[135, 200]]],
    ['one that was noticed before it is computed to begin', [stale(120), again(200)], 500, [[120, 200]]],
    ['one that began before the period', [again(60)], 500, [[50, 60]]],
    ['one that is computed to begin before the period', [stale(55, 0), again(60)], 500, [[50, 60]]],
    ['one that ended before the period', [stale(40, 0), again(45)], 500, []],
    [
      'two',
      [stale(135), again(200), stale(240, 200), again(300)],
      500,
      [
        [130, 200],
        [230, 300],
      ],
    ],
    ['one that lasts', [stale(135)], 130, [[130, null]]],
    ['one that lasts and was not noticed yet', [], 130, [[130, null]]],
    ['one that lasts since before the period', [], 20, [[50, null]]],
    ['an environment that expects no report anymore', [stale(135)], null, [[130, 400]]],
    ['one that is noticed twice', [stale(135), stale(150, 110), again(200)], 500, [[130, 200]]],
    ['a report without a silence', [stale(135), again(200), again(210)], 500, [[130, 200]]],
  ])('%s', (_, events, stale_at, expected) => {
    const found = listSilences(events, {
      since: at(50),
      stale_at: stale_at === null ? null : at(stale_at),
      now: at(400),
    })
    expect(found.map(({ from, to }) => [from.getTime() / 1000, to && to.getTime() / 1000])).toEqual(expected)
  })
})

describe('the silences of several environments', () => {
  it.each<[string, [number, number | null][], [number, number | null][]]>([
    ['none', [], []],
    [
      'apart',
      [
        [30, 40],
        [10, 20],
      ],
      [
        [10, 20],
        [30, 40],
      ],
    ],
    [
      'that overlap',
      [
        [10, 25],
        [20, 40],
      ],
      [[10, 40]],
    ],
    [
      'inside each other',
      [
        [10, 50],
        [20, 30],
      ],
      [[10, 50]],
    ],
    [
      'that touch',
      [
        [10, 20],
        [20, 30],
      ],
      [[10, 30]],
    ],
    [
      'of which one lasts',
      [
        [10, null],
        [20, 30],
      ],
      [[10, null]],
    ],
    [
      'of which a later one lasts',
      [
        [10, 20],
        [15, null],
      ],
      [[10, null]],
    ],
  ])('%s', (_, given, expected) => {
    const silences = given.map(([from, to]) => ({ from: at(from), to: to === null ? null : at(to) }))
    expect(
      mergeSilences(silences).map(({ from, to }) => [from.getTime() / 1000, to && to.getTime() / 1000]),
    ).toEqual(expected)
  })
})

describe('an environment at a time', () => {
  it.each([
    [9, false],
    [10, true],
    [19, true],
    [20, false],
    [30, true],
    [99, true],
  ])('%i: silent is %s', (time, expected) => {
    const silences = [
      { from: at(10), to: at(20) },
      { from: at(30), to: null },
    ]
    expect(isSilent(silences, at(time))).toBe(expected)
  })
})

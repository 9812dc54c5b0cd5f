// The positions of times and values in a chart, and the labels of its axes. Times are in seconds since 1970.
import { scaleLinear, scaleTime, scaleUtc } from 'd3-scale'
import type { TimeZone } from '../local-time.ts'

/** As many as fit side by side on a phone. */
const TIME_TICKS = 5
const VALUE_TICKS = 4
const DAY_SECONDS = 86_400
const HOURS_UP_TO = 3 * DAY_SECONDS
const DAYS_UP_TO = 300 * DAY_SECONDS

export interface Scales {
  /** In percent of the width, so that a chart does not need to be measured. */
  toX: (at: number) => number
  /** In pixels from the top. */
  toY: (value: number) => number
  times: { at: number; label: string }[]
  values: number[]
}

interface ChartRange {
  from: number
  to: number
  /** The highest value; an axis ends at the next round number. */
  max: number
  /** In pixels. */
  height: number
  zone: TimeZone
}

export function buildScales({ from, to, max, height, zone }: ChartRange): Scales {
  const time = (zone === 'utc' ? scaleUtc() : scaleTime())
    .domain([new Date(from * 1000), new Date(to * 1000)])
    .range([0, 100])
  const value = scaleLinear()
    .domain([0, max > 0 ? max : 1])
    .nice(VALUE_TICKS)
    .range([height, 0])
  const format = buildTimeFormat(to - from, zone)
  return {
    toX: at => time(new Date(at * 1000)),
    toY: each => value(each),
    times: time.ticks(TIME_TICKS).map(date => ({ at: date.getTime() / 1000, label: format.format(date) })),
    values: value.ticks(VALUE_TICKS),
  }
}

function buildTimeFormat(seconds: number, zone: TimeZone): Intl.DateTimeFormat {
  const parts: Intl.DateTimeFormatOptions =
    seconds <= HOURS_UP_TO
      ? { hour: '2-digit', minute: '2-digit' }
      : seconds <= DAYS_UP_TO
        ? { month: 'short', day: 'numeric' }
        : { year: 'numeric', month: 'short' }
  return new Intl.DateTimeFormat(undefined, { ...parts, ...(zone === 'utc' && { timeZone: 'UTC' }) })
}

// Ranges of snapshots: the `interval` of lists, and the `start` and `end` of events, which also accept a time span
// such as `2days`. Ranges are not ordered here, because only the database knows what a time or `~5` resolves to.

import { parseExpression, type SnapshotExpression } from './expression.ts'
import { subtractTime, type TimeUnit } from './utc-time.ts'

export type Bound = SnapshotExpression

export interface Interval {
  from: Bound
  to: Bound
}

const SEPARATOR = '..'
const SPAN = /^(\d+)([a-z]+)$/
// `m` means minutes, as in other short forms of a duration; months are written out.
const UNITS: ReadonlyMap<string, TimeUnit> = new Map([
  ...pairNames('second', 's', 'sec', 'secs', 'second', 'seconds'),
  ...pairNames('minute', 'm', 'min', 'mins', 'minute', 'minutes'),
  ...pairNames('hour', 'h', 'hr', 'hrs', 'hour', 'hours'),
  ...pairNames('day', 'd', 'day', 'days'),
  ...pairNames('week', 'w', 'week', 'weeks'),
  ...pairNames('month', 'month', 'months'),
  ...pairNames('year', 'y', 'year', 'years'),
])

export function parseInterval(text: string, now: Date): Interval | undefined {
  if (text === '') return { from: { kind: 'index', index: 1 }, to: buildLatest() }
  const cut = text.indexOf(SEPARATOR)
  if (cut < 0) return buildInterval(parseSide(text, now), parseSide(text, now))
  return buildInterval(parseSide(text.slice(0, cut), now), parseSide(text.slice(cut + SEPARATOR.length), now))
}

export function parseBound(text: string, now: Date): Bound | undefined {
  if (isNow(text)) return buildLatest()
  return parseSpan(text, now) ?? parseExpression(text, now)
}

// Whether a range runs backwards, as far as its bounds can be compared without the database.
export function isBackwards(start: Bound | undefined, end: Bound | undefined): boolean {
  if (start?.kind === 'at' && end?.kind === 'at') return start.time > end.time
  if (start?.kind === 'behind' && end?.kind === 'behind') return start.behind < end.behind
  if (start?.kind !== 'index' || end?.kind !== 'index') return false
  return start.index > 0 === end.index > 0 && start.index > end.index
}

function buildInterval(from: Bound | undefined, to: Bound | undefined): Interval | undefined {
  return from && to && { from, to }
}

// A missing side means NOW.
function parseSide(text: string, now: Date): Bound | undefined {
  return text === '' || isNow(text) ? buildLatest() : parseExpression(text, now)
}

function parseSpan(text: string, now: Date): Bound | undefined {
  const [, amount, word = ''] = SPAN.exec(text) ?? []
  const unit = UNITS.get(word)
  if (unit === undefined || Number(amount) === 0) return undefined
  const time = subtractTime(now, Number(amount), unit)
  return time && { kind: 'at', time }
}

function isNow(text: string): boolean {
  return text === 'NOW' || text === 'now'
}

// The latest snapshot, not the current time: it is resolved in the same query that reads the rows.
function buildLatest(): Bound {
  return { kind: 'behind', behind: 0 }
}

function pairNames(unit: TimeUnit, ...names: string[]): [string, TimeUnit][] {
  return names.map(name => [name, unit])
}

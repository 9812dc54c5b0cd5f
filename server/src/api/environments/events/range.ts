// Which events a query selects: by snapshot index (`interval`, `start`, `end`) and by time (`start_ts`, `from`, …, and
// a `start` or `end` that is a time). If several bounds are given, an event must satisfy all of them.
import type { Db } from '../../../db/database.ts'
import { resolveIndex } from '../../../domain/snapshot/expression.ts'
import {
  type Bound,
  type Interval,
  isBackwards,
  parseBound,
  parseInterval,
} from '../../../domain/snapshot/interval.ts'
import { badRequest } from '../../../lib/errors.ts'
import { fromEpoch, readEpochBounds } from '../../shared/epoch-times.ts'
import { periodIsBackwards } from '../../shared/periods.ts'
import { findSnapshotIndex } from '../../shared/snapshot-index-store.ts'
import { LOGICAL } from '../members/change.ts'
import type { EnvironmentRow } from '../store.ts'
import { type EventRange, listMemberRanges } from './store.ts'
import type { EnvironmentEventsQuery } from './wire.ts'

export interface EventBounds {
  interval: Interval
  start: Bound | undefined
  end: Bound | undefined
  from_at: Date | null
  to_at: Date | null
}

export function parseBounds(query: EnvironmentEventsQuery, now: Date): EventBounds {
  const interval = parseInterval(query.interval ?? '', now)
  if (!interval) throw invalidInterval(query.interval ?? '')
  const start = parseOptionalBound(query.start, now)
  const end = parseOptionalBound(query.end, now)
  if (isBackwards(start, end)) throw periodIsBackwards('start')
  refuseBackwards(query)
  const after = [getBoundTime(start), fromEpoch(query.start_ts), fromEpoch(query.from)].filter(isGiven)
  const before = [getBoundTime(end), fromEpoch(query.end_ts), fromEpoch(query.to)].filter(isGiven)
  return {
    interval,
    start,
    end,
    from_at: after.length === 0 ? null : new Date(Math.max(...after.map(Number))),
    to_at: before.length === 0 ? null : new Date(Math.min(...before.map(Number))),
  }
}

/** Checks each kind of start against each kind of end. */
function refuseBackwards(query: EnvironmentEventsQuery): void {
  for (const from of ['start_ts', 'from'] as const)
    for (const to of ['end_ts', 'to'] as const) readEpochBounds(query, from, to)
}

/** The snapshot range of the environment, or of each member of a logical one. */
export async function listRanges(
  tx: Db,
  org_id: string,
  environment: EnvironmentRow,
  { interval, start, end }: EventBounds,
): Promise<EventRange[]> {
  const { environment_id, latest_index, type } = environment
  const resolveBound = (bound: Bound) => findBoundIndex(tx, org_id, environment, bound)
  const [from, to] = await Promise.all([resolveBound(interval.from), resolveBound(interval.to)])
  const first = start && start.kind !== 'at' ? resolveIndex(start, latest_index) : 1
  const last = end && end.kind !== 'at' ? resolveIndex(end, latest_index) : latest_index
  const range = {
    environment_id,
    from_index: Math.max(1, Math.min(from, to), first),
    to_index: Math.min(Math.max(from, to), last, latest_index),
  }
  if (range.from_index > range.to_index) return []
  return type === LOGICAL ? listMemberRanges(tx, org_id, range) : [range]
}

async function findBoundIndex(
  tx: Db,
  org_id: string,
  { environment_id, latest_index }: EnvironmentRow,
  bound: Bound,
): Promise<number> {
  if (bound.kind === 'at') return findSnapshotIndex(tx, org_id, { environment_id, time: bound.time })
  return resolveIndex(bound, latest_index)
}

function parseOptionalBound(text: string | undefined, now: Date): Bound | undefined {
  if (text === undefined) return undefined
  const bound = parseBound(text, now)
  if (!bound) throw invalidInterval(text)
  return bound
}

function invalidInterval(text: string) {
  return badRequest(`Invalid interval value: ${text}`)
}

function getBoundTime(bound: Bound | undefined): Date | undefined {
  return bound?.kind === 'at' ? bound.time : undefined
}

function isGiven(time: Date | undefined): time is Date {
  return time !== undefined
}

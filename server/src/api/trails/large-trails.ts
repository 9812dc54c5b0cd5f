// Trails with more builds than a batch reads. A report about one build reads that build, and only the distinct states
// of the others: their evidence does not change. A report about the trail itself counts for every build, and reads
// them all.
import { makeStep, type Step } from '../../db/database.ts'
import type { RowOf } from '../../db/statement.ts'
import type { ComplianceState, OtherBuilds } from '../../domain/trail/evaluate.ts'
import { groupBy } from '../../lib/group-by.ts'
import { MAX_BUILDS, MAX_SLOTS, type NamedTrail, type readBuilds, type readSlots } from './evaluate-store.ts'
import {
  readOtherBuilds,
  readTouchedBuilds,
  readTouchedSlots,
  type TouchedBuild,
  type TouchedRow,
} from './large-trails-store.ts'

/** A report, reduced to what determines the builds it may change. */
export interface TrailChange extends NamedTrail {
  touched: 'all' | readonly TouchedBuild[]
}

interface TrailRows {
  builds: readonly RowOf<typeof readBuilds>[]
  slots: readonly RowOf<typeof readSlots>[]
}

/** The trails that `read` contains only in part. */
function findLargeTrails(read: TrailRows): string[] {
  const findAbove = (rows: readonly { trail_id: string }[], max: number) =>
    rows.length <= max
      ? []
      : [...groupBy(rows, ({ trail_id }) => trail_id)].flatMap(([id, { length }]) => (length > max ? id : []))
  return [...new Set([...findAbove(read.builds, MAX_BUILDS), ...findAbove(read.slots, MAX_SLOTS)])]
}

/** Empty if no trail is large. */
export function buildLargeTrailReads(
  org_id: string,
  read: TrailRows,
  changes: readonly { trail_id: string | null; touched: TrailChange['touched'] }[],
): Step[] {
  const large = findLargeTrails(read)
  if (large.length === 0) return []
  const isWhole = (id: string) =>
    changes.some(({ trail_id, touched }) => trail_id === id && touched === 'all')
  const whole_ids = large.filter(isWhole)
  const trail_ids = large.filter(id => !isWhole(id))
  const touched = changes.flatMap(({ trail_id, touched: builds }): TouchedRow[] =>
    trail_id === null || builds === 'all' || !trail_ids.includes(trail_id)
      ? []
      : builds.map(build => ({ ...build, trail_id })),
  )
  return [
    makeStep(readTouchedBuilds, { org_id, touched, whole_ids }),
    makeStep(readTouchedSlots, { org_id, touched, whole_ids, trail_ids }),
    makeStep(readOtherBuilds, { org_id, touched, trail_ids }),
  ]
}

export interface ReadTrails extends TrailRows {
  /** For the trails whose builds were not all read. */
  others: ReadonlyMap<string, OtherBuilds>
}

/** Combines what was read: the first rows of the small trails, and the other rows of the large ones. */
export function mergeLargeTrails(read: TrailRows, more: readonly unknown[][]): ReadTrails {
  const [builds, slots, others] = more as [
    RowOf<typeof readTouchedBuilds>[],
    RowOf<typeof readTouchedSlots>[],
    RowOf<typeof readOtherBuilds>[],
  ]
  if (!builds) return { ...read, others: new Map() }
  const large = new Set(findLargeTrails(read))
  const isSmall = ({ trail_id }: { trail_id: string }) => !large.has(trail_id)
  return {
    builds: [...read.builds.filter(isSmall), ...builds],
    slots: [...read.slots.filter(isSmall), ...slots],
    others: new Map(
      [...groupBy(others, ({ trail_id }) => trail_id)].map(([trail_id, rows]) => [
        trail_id,
        {
          states: rows.flatMap(({ state }) => (state ?? []) as ComplianceState),
          names: rows.flatMap(({ name }) => name ?? []),
        },
      ]),
    ),
  }
}

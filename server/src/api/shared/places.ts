// How the places of an artifact are told: where it runs and where it ran, and the sentences of its history.
import type { Db } from '../../db/database.ts'
import type { CallerOrg } from '../operation.ts'
import { listPlaces, type Place } from './places-store.ts'
import { toEpoch } from './wire.ts'

export interface HistoryEntry {
  event: string
  timestamp: number
}

/** Environments belong to no flow, so that visitors who read a public one are not told of any. */
export async function listVisiblePlaces(tx: Db, org: CallerOrg, fingerprints: string[]): Promise<Place[]> {
  return org.is_visitor ? [] : listPlaces(tx, org.org_id, fingerprints)
}

/** And in how many it runs or ran is not counted for them. */
export function hideCountsFromVisitors<T extends { running_count: number; exited_count: number }>(
  row: T,
  org: CallerOrg,
): T {
  return org.is_visitor ? { ...row, running_count: 0, exited_count: 0 } : row
}

/** The places of one kind, newest first. */
export function filterNewest(places: readonly Place[], kind: Place['kind']): Place[] {
  return places.filter(place => place.kind === kind).reverse()
}

/** The history of an artifact in the order of time; of what happened together, what was given first comes first. */
export function buildHistory(entries: readonly HistoryEntry[], places: readonly Place[]): HistoryEntry[] {
  const moves = places.filter(({ kind }) => kind !== 'running').map(describePlace)
  return [...entries, ...moves].sort((a, b) => a.timestamp - b.timestamp)
}

function describePlace({ kind, environment_name, snapshot_index, happened_at }: Place): HistoryEntry {
  const where = `running in ${environment_name}#${snapshot_index} environment`
  return {
    event: `${kind === 'started' ? 'Started' : 'No longer'} ${where}`,
    timestamp: toEpoch(happened_at),
  }
}

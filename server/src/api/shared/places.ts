// Describes the places of an artifact: where it runs, where it ran, and the sentences of its history.
import type { Db } from '../../db/database.ts'
import type { CallerOrg } from '../operation.ts'
import { listPlaces, type Place } from './places-store.ts'
import { toEpoch } from './wire.ts'

export interface HistoryEntry {
  event: string
  timestamp: number
}

/** Environments do not belong to a flow, so visitors of a public flow see none of them. */
export async function listVisiblePlaces(tx: Db, org: CallerOrg, fingerprints: string[]): Promise<Place[]> {
  return org.is_visitor ? [] : listPlaces(tx, org.org_id, fingerprints)
}

/** Visitors must not see in how many environments an artifact runs or ran either. */
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

/** The history of an artifact in chronological order. Entries with the same time keep their order. */
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

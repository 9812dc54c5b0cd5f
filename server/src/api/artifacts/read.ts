// Turns artifact rows into API responses with their history, for every operation that reads artifacts.
import type { Db } from '../../db/database.ts'
import type { CallerOrg } from '../operation.ts'
import { hideCountsFromVisitors, listVisiblePlaces } from '../shared/places.ts'
import { groupByFingerprint } from '../shared/places-store.ts'
import { type ArtifactRow, listAttestationHistory, listReports } from './store.ts'
import { type Artifact, toWire } from './wire.ts'

/** Sends three more statements together, for any number of artifacts. */
export async function readWithHistory(
  tx: Db,
  rows: readonly ArtifactRow[],
  org: CallerOrg,
  base_url: string,
): Promise<Artifact[]> {
  const ids = rows.map(row => row.artifact_id)
  if (ids.length === 0) return []
  const fingerprints = [...new Set(rows.map(row => row.fingerprint))]
  const [reported, reports, places] = await Promise.all([
    listAttestationHistory(tx, org.org_id, ids),
    listReports(tx, org.org_id, ids),
    listVisiblePlaces(tx, org, fingerprints),
  ])
  const placesByFingerprint = groupByFingerprint(places)
  const site = { base_url, org: org.name }
  return rows.map(row =>
    toWire(
      hideCountsFromVisitors(row, org),
      reported.filter(({ artifact_id }) => artifact_id === row.artifact_id),
      reports.filter(({ artifact_id }) => artifact_id === row.artifact_id),
      site,
      placesByFingerprint.get(row.fingerprint) ?? [],
    ),
  )
}

// GET /snapshots/{org}/{env_name}/{snapshot_expression}: what ran at a moment, and why it was allowed to or not.

import type { Db } from '../../db/database.ts'
import { type CallerOrg, operation, Streamed } from '../operation.ts'
import { ArchivedQuery } from '../shared/archived.ts'
import { headOf, type Place, placesOf } from './head.ts'
import { requireSnapshot } from './problems.ts'
import {
  type Row,
  rowsOf,
  runningIn,
  type Site,
  type Surroundings,
  surroundingsOf,
  toAppliedPolicies,
  toArtifactOrUnreadable,
} from './render.ts'
import * as store from './store.ts'
import { Snapshot, type SnapshotArtifact, SnapshotPath } from './wire.ts'

export const getSnapshot = operation(
  {
    id: 'getSnapshot',
    method: 'GET',
    path: '/snapshots/{org}/{env_name}/{snapshot_expression}',
    tag: 'Snapshots',
    summary: 'Get a snapshot',
    description:
      'Everything that ran, with the evaluation made at the time: the policies in force, every rule, and for what is not ' +
      'compliant the reasons and what would make it so. What exited in this snapshot is listed with `annotation.now` 0',
    access: 'reader',
    audit: 'none: reads',
    params: SnapshotPath,
    query: ArchivedQuery,
    returns: Snapshot,
    fails: [400, 403, 404],
    example: { params: { snapshot_expression: '-1' } },
  },
  ({ params, query, org, now }, { db, base_url }) =>
    db.inTransaction({ org_id: org.org_id }, async tx => {
      const head = await requireSnapshot(tx, org, { ...params, ...query }, now)
      const site = { base_url, org: org.name }
      const parts: Part[] = []
      for (const place of await placesOf(tx, org, head)) parts.push(await partOf(tx, org, place, site))
      const applied_policies = parts.flatMap(({ policies, rows }) => toAppliedPolicies(policies, rows))
      return new Streamed<Snapshot, SnapshotArtifact>(
        { ...headOf(head, site, now), applied_policies },
        'artifacts',
        artifactsOf(parts),
      )
    }),
)

/** A snapshot of a physical environment, or of each member of a logical one. */
interface Part {
  rows: Row[]
  policies: store.AppliedPolicyRow[]
  around: Surroundings
}

async function partOf(tx: Db, org: CallerOrg, place: Place, site: Site): Promise<Part> {
  const { environment_id, snapshot_index, is_new, environment_name } = place
  const [found, policies] = await Promise.all([
    store.snapshotRows(tx, org.org_id, { environment_id, index: snapshot_index }),
    store.appliedPolicies(tx, org.org_id, place.applied_policies),
  ])
  const rows = rowsOf(found, is_new)
  return { rows, policies, around: surroundingsOf(site, policies, runningIn(rows), environment_name) }
}

function* artifactsOf(parts: readonly Part[]): Iterable<SnapshotArtifact> {
  for (const { rows, around } of parts) {
    for (const row of rows) yield toArtifactOrUnreadable(row, around)
  }
}

// GET /snapshots/{org}/{env_name}/{snapshot_expression}: one snapshot, with the verdict on each artifact and its
// reasons.

import type { Db } from '../../db/database.ts'
import { type CallerOrg, defineOperation, Streamed } from '../operation.ts'
import { countArtifacts, listPlaces, type Place, toWireHead } from './head.ts'
import { requireSnapshot } from './problems.ts'
import {
  buildRenderContext,
  collectRunning,
  joinRows,
  type RenderContext,
  type Row,
  type Site,
  toAppliedPolicies,
  toArtifactOrUnreadable,
  toCompactArtifact,
} from './render.ts'
import * as store from './store.ts'
import { Snapshot, type SnapshotArtifact, SnapshotPath, SnapshotQuery } from './wire.ts'

export const getSnapshot = defineOperation(
  {
    id: 'getSnapshot',
    method: 'GET',
    path: '/snapshots/{org}/{env_name}/{snapshot_expression}',
    tag: 'Snapshots',
    summary: 'Get a snapshot',
    description:
      'All running artifacts with the evaluation made at the time: the policies in force, every rule, and for non-compliant ' +
      'artifacts the reasons and remedies. Artifacts that exited in this snapshot are listed with `annotation.now` 0. ' +
      '`view=compact` leaves the explanations out, for clients that only need the verdicts.',
    access: 'reader',
    audit: 'none: reads',
    params: SnapshotPath,
    query: SnapshotQuery,
    returns: Snapshot,
    fails: [400, 403, 404],
    example: { params: { snapshot_expression: '-1' } },
  },
  ({ params, query, org, now }, { db, base_url }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const head = await requireSnapshot(tx, org, { ...params, ...query }, now)
      tx.expectRows(countArtifacts(head))
      const site = { base_url, org: org.name }
      const parts = await readParts(tx, org, await listPlaces(tx, org, head), site)
      const applied_policies = parts.flatMap(({ policies, rows }) => toAppliedPolicies(policies, rows))
      return new Streamed<Snapshot, SnapshotArtifact>(
        { ...toWireHead(head, site, now), applied_policies },
        'artifacts',
        streamArtifacts(parts, query.view === 'compact' ? toCompactArtifact : toArtifactOrUnreadable),
      )
    }),
)

/** A snapshot of a physical environment, or of each member of a logical one. */
interface Part {
  rows: Row[]
  policies: store.AppliedPolicyRow[]
  context: RenderContext
}

async function readParts(tx: Db, org: CallerOrg, places: readonly Place[], site: Site): Promise<Part[]> {
  const [found, applied] = await Promise.all([
    store.readSnapshotRows(tx, org.org_id, places),
    store.listAppliedPolicies(
      tx,
      org.org_id,
      places.flatMap(({ applied_policies }) => applied_policies),
    ),
  ])
  return found.flatMap((rowsOfPlace, i) => {
    const place = places[i]
    if (!place) return []
    const rows = joinRows(rowsOfPlace, place.is_new)
    const policies = applied.filter(policy => isAppliedIn(place, policy))
    const context = buildRenderContext(site, policies, collectRunning(rows), place.environment_name)
    return [{ rows, policies, context }]
  })
}

function isAppliedIn({ applied_policies }: Place, { policy_id, version }: store.AppliedPolicyRow): boolean {
  return applied_policies.some(applied => applied.policy_id === policy_id && applied.version === version)
}

function* streamArtifacts(
  parts: readonly Part[],
  render: typeof toArtifactOrUnreadable,
): Iterable<SnapshotArtifact> {
  for (const { rows, context } of parts) {
    for (const row of rows) yield render(row, context)
  }
}

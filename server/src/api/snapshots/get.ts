// GET /snapshots/{org}/{env_name}/{snapshot_expression}: one snapshot, with the verdict on each artifact and its
// reasons.

import { defineOperation, Streamed } from '../operation.ts'
import { readSnapshot, streamArtifacts } from './read.ts'
import { toArtifactOrUnreadable, toCompactArtifact } from './render.ts'
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
      const { head, parts } = await readSnapshot(tx, { org, now, names: { ...params, ...query } }, base_url)
      return new Streamed<Snapshot, SnapshotArtifact>(
        head,
        'artifacts',
        streamArtifacts(parts, query.view === 'compact' ? toCompactArtifact : toArtifactOrUnreadable),
      )
    }),
)

// GET /snapshots/{org}/{env_name}/{snapshot_expression}: what ran at a moment, and why it was allowed to or not.
import type { Db } from '../../db/database.ts'
import { askedAs, parseExpression } from '../../domain/snapshot/expression.ts'
import { badRequest } from '../../lib/errors.ts'
import { type CallerOrg, operation, Streamed } from '../operation.ts'
import { toEpoch, toEpochOrNull } from '../shared/wire.ts'
import { requireHead, type StoredHead, wantedBy } from './problems.ts'
import {
  type Row,
  rowsOf,
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
    returns: Snapshot,
    fails: [400, 403, 404],
    example: { params: { snapshot_expression: '-1' } },
  },
  ({ params, org, now }, { db, base_url }) =>
    db.inTransaction({ org_id: org.org_id }, async tx => {
      const expression = parseExpression(params.snapshot_expression, now)
      if (!expression) throw badRequest(`Bad snappish ${params.snapshot_expression}`)
      const head = await requireHead(tx, org, {
        env_name: params.env_name,
        wanted: wantedBy(expression),
        asked: askedAs(params.env_name, params.snapshot_expression),
      })
      const site = { base_url, org: org.name }
      const parts = await partsOf(tx, org, head, site)
      return new Streamed<Snapshot, SnapshotArtifact>(
        headOf(head, site, parts),
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

async function partsOf(tx: Db, org: CallerOrg, head: StoredHead, site: Site): Promise<Part[]> {
  const { environment_id, asked_index } = head
  if (head.members === null) {
    return [await partOf(tx, org, { environment_id, index: asked_index }, head.applied_policies, site, true)]
  }
  const members = await store.headsOfMembers(tx, org.org_id, {
    environment_id,
    snapshot_index: asked_index,
    members: head.members,
  })
  const parts: Part[] = []
  for (const member of members) {
    const at = { environment_id: member.environment_id, index: member.snapshot_index }
    const { applied_policies, is_new, environment_name } = member
    parts.push(await partOf(tx, org, at, applied_policies, site, is_new, environment_name))
  }
  return parts
}

async function partOf(
  tx: Db,
  org: CallerOrg,
  at: { environment_id: string; index: number },
  applied: readonly { policy_id: string; version: number }[],
  site: Site,
  is_new: boolean,
  environment_name?: string,
): Promise<Part> {
  const [found, policies] = await Promise.all([
    store.snapshotRows(tx, org.org_id, at),
    store.appliedPolicies(tx, org.org_id, applied),
  ])
  const rows = rowsOf(found, is_new)
  return { rows, policies, around: surroundingsOf(site, policies, rows, environment_name) }
}

function headOf(
  head: StoredHead,
  { base_url, org }: Site,
  parts: readonly Part[],
): Omit<Snapshot, 'artifacts'> {
  const path = [org, 'environments', head.environment_name, 'snapshots', String(head.asked_index)]
  return {
    index: head.asked_index,
    is_latest: head.asked_index === head.latest_index,
    environment_name: head.environment_name,
    type: head.type as Snapshot['type'],
    timestamp: toEpoch(head.created_at),
    next_snapshot_timestamp: toEpochOrNull(head.next_created_at),
    compliant: head.compliant === true,
    state: head.compliant,
    cause: head.cause,
    html_url: `${base_url}/${path.map(encodeURIComponent).join('/')}`,
    artifact_compliance_count: {
      true: head.compliant_count,
      false: head.non_compliant_count,
      null: head.unknown_count,
    },
    applied_policies: parts.flatMap(({ policies, rows }) => toAppliedPolicies(policies, rows)),
  }
}

function* artifactsOf(parts: readonly Part[]): Iterable<SnapshotArtifact> {
  for (const { rows, around } of parts) {
    for (const row of rows) yield toArtifactOrUnreadable(row, around)
  }
}

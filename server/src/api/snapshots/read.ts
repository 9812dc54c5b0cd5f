// Reads a snapshot with its running artifacts and the policies that were in force. Handlers and audit packages share it.
import type { Db } from '../../db/database.ts'
import type { CallerOrg } from '../operation.ts'
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
} from './render.ts'
import * as store from './store.ts'
import type { SnapshotArtifact } from './wire.ts'

export interface SnapshotRequest {
  org: CallerOrg
  now: Date
  names: { env_name: string; snapshot_expression: string; archived?: boolean }
}

export async function readSnapshot(tx: Db, { org, now, names }: SnapshotRequest, base_url: string) {
  const found = await requireSnapshot(tx, org, names, now)
  tx.expectRows(countArtifacts(found))
  const site = { base_url, org: org.name }
  const parts = await readParts(tx, org, await listPlaces(tx, org, found), site)
  const applied_policies = parts.flatMap(({ policies, rows }) => toAppliedPolicies(policies, rows))
  return { found, head: { ...toWireHead(found, site, now), applied_policies }, parts }
}

/** The head of a snapshot, and its artifacts with everything that explains their verdicts. */
export async function readWholeSnapshot(tx: Db, request: SnapshotRequest, base_url: string) {
  const { found, head, parts } = await readSnapshot(tx, request, base_url)
  return { found, head, artifacts: streamArtifacts(parts, toArtifactOrUnreadable) }
}

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

export function* streamArtifacts(
  parts: readonly Part[],
  render: typeof toArtifactOrUnreadable,
): Iterable<SnapshotArtifact> {
  for (const { rows, context } of parts) {
    for (const row of rows) yield render(row, context)
  }
}

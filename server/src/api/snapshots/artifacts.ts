// GET /snapshots/{org}/{env_name}/{snapshot_expression}/artifacts: the artifacts of a snapshot, paged, so the cost
// depends on the size of the page and not of the snapshot.
import { defineOperation } from '../operation.ts'
import { buildLinkedEnvelope, toSlice } from '../shared/page.ts'
import * as pages from './artifacts-store.ts'
import {
  DEFAULT_PER_PAGE,
  type Exited,
  MAX_EXITED,
  SnapshotArtifactPage,
  SnapshotArtifactsQuery,
} from './artifacts-wire.ts'
import { listPlaces, type Place, toWireHead } from './head.ts'
import { requireSnapshot } from './problems.ts'
import {
  buildRenderContext,
  type RenderContext,
  type Row,
  type Site,
  toArtifactOrUnreadable,
  toUnchanged,
} from './render.ts'
import { type AppliedPolicyRow, listAppliedPolicies } from './store.ts'
import { type SnapshotArtifact, SnapshotPath } from './wire.ts'

export const listSnapshotArtifacts = defineOperation(
  {
    id: 'listSnapshotArtifacts',
    method: 'GET',
    path: '/snapshots/{org}/{env_name}/{snapshot_expression}/artifacts',
    tag: 'Snapshots',
    summary: 'List the artifacts of a snapshot',
    description:
      `Running artifacts, by default ${DEFAULT_PER_PAGE} per page: non-compliant first, then unknown, then compliant, by ` +
      'name. Each artifact has the same fields as in the whole snapshot. Artifacts that exited in this snapshot are listed ' +
      'separately.',
    access: 'reader',
    audit: 'none: reads',
    params: SnapshotPath,
    query: SnapshotArtifactsQuery,
    returns: SnapshotArtifactPage,
    fails: [400, 403, 404],
    example: {
      params: { snapshot_expression: '-1' },
      query: { page: '1', per_page: '25', name: 'backend', compliance: 'non-compliant' },
    },
  },
  ({ params, query, org, now, url }, { db, base_url }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const head = await requireSnapshot(tx, org, { ...params, archived: query.archived }, now)
      const places = await listPlaces(tx, org, head)
      const page = { page: query.page ?? 1, per_page: query.per_page ?? DEFAULT_PER_PAGE }
      // Clients send unset filters as empty strings.
      const filter = { name: query.name || null, compliance: query.compliance ?? null, ...toSlice(page) }
      const [{ total, chosen, still_running }, exited, policies] = await Promise.all([
        pages.chooseArtifacts(tx, org.org_id, places, filter),
        pages.listExitedArtifacts(tx, org.org_id, places, MAX_EXITED),
        listAppliedPolicies(tx, org.org_id, listDistinctPolicies(places)),
      ])
      const rows = await pages.listChosenArtifacts(tx, org.org_id, places, chosen)
      const site = { base_url, org: org.name }
      const contexts = buildRenderContexts(places, site, policies, still_running)
      return {
        snapshot: {
          ...toWireHead(head, site, now),
          latest_snapshot_index: head.latest_index,
          applied_policies: policies.map(({ name, version }) => ({ name, version })),
        },
        artifacts: rows.flatMap(row => toArtifact(row, contexts)),
        exited: exited.map(row => toExited(row, places)),
        exited_count: exited[0]?.total ?? 0,
        ...buildLinkedEnvelope(url, query, page, total),
      }
    }),
)

/** The distinct policy versions of all places. */
function listDistinctPolicies(places: readonly Place[]): { policy_id: string; version: number }[] {
  const all = places.flatMap(({ applied_policies }) => applied_policies)
  return [...new Map(all.map(one => [`${one.policy_id} ${one.version}`, one])).values()]
}

function buildRenderContexts(
  places: readonly Place[],
  site: Site,
  policies: readonly AppliedPolicyRow[],
  still_running: pages.ChosenPage['still_running'],
): RenderContext[] {
  return places.map(({ environment_name }, here) => {
    const running = still_running.flatMap(({ place, fingerprint }) => (place === here ? [fingerprint] : []))
    return buildRenderContext(site, policies, new Set(running), environment_name)
  })
}

function toArtifact(row: pages.ChosenArtifact, contexts: readonly RenderContext[]): SnapshotArtifact[] {
  const { place, is_evaluated, compliant, evaluation, change, ...run } = row
  const verdict =
    is_evaluated && evaluation ? { artifact_key: run.artifact_key, compliant, evaluation } : undefined
  const shown: Row = { run: { ...run, is_exit: false }, verdict, annotation: change ?? toUnchanged(run) }
  const here = contexts[place]
  return here ? [toArtifactOrUnreadable(shown, here)] : []
}

function toExited(
  { place, total, flow_name, ...row }: pages.ExitedArtifactRow,
  places: readonly Place[],
): Exited {
  const { environment_name } = places[place] ?? {}
  return {
    ...row,
    flow_name: flow_name ?? '',
    ...(environment_name === undefined ? {} : { environment_name }),
  }
}

// What a report changes: compare it with what ran before, judge what starts, take a snapshot if anything started or
// stopped. A report is the complete truth: what it does not name runs no more. One transaction, a constant number of
// statements, and only what starts is judged: verdicts of the rest follow their evidence by themselves (judge.ts).
import { createHash } from 'node:crypto'
import type { Db } from '../db/database.ts'
import { annotationOf } from '../domain/snapshot/annotation.ts'
import { detailOf } from '../domain/snapshot/canonical.ts'
import { type Changes, compare } from '../domain/snapshot/changes.ts'
import type { RunningArtifact } from '../domain/snapshot/reported.ts'
import type { Occasion } from '../events/record.ts'
import { forEachInPortions, stringifyInPortions } from '../lib/breathe.ts'
import type { Ids } from '../lib/ids.ts'
import { earlierInSlots, insertDeployments } from './deployments-store.ts'
import { type Judged, judgeAll } from './evaluate.ts'
import { allowListOf, attachedPolicies, flowsThatKnow } from './evidence-store.ts'
import { markStarted } from './marks-store.ts'
import { deploymentsOf, type Replaced, replacedByEach, type Starting, slotsOf } from './replaced.ts'
import * as running from './running-store.ts'
import { endSilence } from './silence.ts'
import { nextSnapshot, takeSnapshot } from './snapshot.ts'
import { type HeldEnvironment, holdForSnapshot, markReported } from './snapshot-store.ts'

const PORTION = 500

export interface Report {
  artifacts: readonly DetailedArtifact[]
  /** Equal for two reports that say the same. */
  sha256: string
}

export interface DetailedArtifact extends RunningArtifact {
  /** Equal for two reports that say the same of the artifact. */
  detail: string
}

/** Names what a report says, so that it can be compared with the one before. */
export async function detailed(artifacts: readonly RunningArtifact[]): Promise<Report> {
  const whole = createHash('sha256')
  const named: DetailedArtifact[] = []
  await forEachInPortions(artifacts, PORTION, artifact => {
    const detail = createHash('md5').update(detailOf(artifact)).digest('hex')
    whole.update(`${JSON.stringify(artifact.artifact_key)} ${artifact.instance_count} ${detail}\n`)
    named.push({ ...artifact, detail })
  })
  return { artifacts: named, sha256: whole.digest('hex') }
}

/** Undefined when the environment is there no more; the number of the snapshot, if the report made one. */
export async function storeReport(
  tx: Db,
  occasion: Occasion,
  ids: Ids,
  reported: { environment_id: string; report: Report },
): Promise<{ snapshot_index: number | null } | undefined> {
  const { environment_id, report } = reported
  const { org_id } = occasion.org
  const environment = await holdForSnapshot(tx, org_id, environment_id)
  if (!environment) return undefined
  const known = await running.runningAsReported(tx, org_id, environment_id)
  const changes = compare(known, report.artifacts, environment.include_scaling)
  // The first report makes a snapshot even of nothing: from then on it is known that nothing runs.
  const isFirst = environment.latest_index === 0
  await storeRefreshed(tx, org_id, environment, changes)
  const isSnapshot = changes.makes_snapshot || isFirst
  if (isSnapshot) await storeChanges(tx, occasion, ids, environment, changes)
  await markReported(tx, org_id, { environment_id, report_sha256: report.sha256, now: occasion.now })
  if (environment.stale_noticed_at) await endSilence(tx, occasion, ids, environment)
  return { snapshot_index: isSnapshot ? environment.latest_index + 1 : null }
}

type ReportChanges = Changes<running.KnownArtifact, DetailedArtifact>

/** What goes on running, with other instances: kept for the next snapshot. */
async function storeRefreshed(
  tx: Db,
  org_id: string,
  { environment_id, include_scaling }: HeldEnvironment,
  { scaled, refreshed }: ReportChanges,
): Promise<void> {
  const changed = [...scaled, ...refreshed]
  if (changed.length === 0) return
  const rows = changed.map(
    ({ before, now }): running.RefreshedRow => ({
      artifact_key: now.artifact_key,
      name: now.name,
      instance_count: now.instance_count,
      instances: now.instances,
      detail_hash: now.detail,
      annotation: include_scaling && before.instance_count !== now.instance_count ? 'scaled' : null,
    }),
  )
  await running.refreshRunning(tx, org_id, {
    environment_id,
    rows: await stringifyInPortions(rows, PORTION),
  })
}

async function storeChanges(
  tx: Db,
  occasion: Occasion,
  ids: Ids,
  environment: HeldEnvironment,
  { started, exited }: ReportChanges,
): Promise<void> {
  const { environment_id } = environment
  const { org_id } = occasion.org
  const fingerprints = started.map(({ fingerprint }) => fingerprint).filter(fingerprint => fingerprint !== '')
  const [policies, allow_list, known] = await Promise.all([
    attachedPolicies(tx, org_id, environment_id),
    allowListOf(tx, org_id, environment_id, occasion.now),
    flowsThatKnow(tx, org_id, fingerprints),
  ])
  const judged = await judgeAll(started, { policies, allow_list, known })
  const starting = started.map((artifact, i) => ({ artifact, flows: judged[i]?.evaluation.flows ?? [] }))
  const keys = exited.map(({ artifact_key }) => artifact_key)
  const earlier = await earlierInSlots(tx, org_id, environment_id, slotsOf(starting))
  const replaced = replacedByEach(starting, earlier, new Set(keys))
  const stopped = keys.length === 0 ? [] : await running.stopRunning(tx, org_id, { environment_id, keys })
  if (started.length > 0) {
    const rows = started.map((artifact, i) => startedRow(artifact, judged[i], replaced))
    await running.startRunning(tx, org_id, {
      environment_id,
      rows: await stringifyInPortions(rows, PORTION),
    })
    await markStarted(tx, org_id, { environment_id, actor: occasion.caller.name, now: occasion.now })
  }
  const taking = { environment, policies, cause: 'report' as const, started: starting.map(asStory), stopped }
  await takeSnapshot(tx, occasion, ids, taking)
  await storeDeployments(tx, occasion, ids, environment, starting, replaced)
}

function asStory({ artifact, flows }: Starting) {
  return { fingerprint: artifact.fingerprint, instance_count: artifact.instance_count, flows }
}

function startedRow(
  artifact: DetailedArtifact,
  judged: Judged | undefined,
  replaced: ReadonlyMap<string, Replaced[]>,
): running.StartedRow {
  const compliant = judged?.compliant ?? null
  const { instance_count } = artifact
  const nothing_else = { include_scaling: false, inputs_changed: false }
  return {
    artifact_key: artifact.artifact_key,
    fingerprint: artifact.fingerprint,
    name: artifact.name,
    instance_count,
    instances: artifact.instances,
    detail_hash: artifact.detail,
    replaced: replaced.get(artifact.artifact_key) ?? [],
    compliant,
    evaluation: judged?.evaluation,
    ...idsOf(judged),
    annotation: annotationOf(null, { instance_count, compliant }, nothing_else).type,
  }
}

export function idsOf(judged: Judged | undefined): { flow_ids: string[]; repo_ids: string[] } {
  const flows = judged?.evaluation.flows ?? []
  return {
    flow_ids: flows.map(({ flow_id }) => flow_id),
    repo_ids: [...new Set(flows.flatMap(({ repo_id }) => repo_id ?? []))],
  }
}

async function storeDeployments(
  tx: Db,
  occasion: Occasion,
  ids: Ids,
  environment: HeldEnvironment,
  starting: readonly Starting[],
  replaced: ReadonlyMap<string, Replaced[]>,
): Promise<void> {
  if (starting.length === 0) return
  const { snapshot_index, created_at } = nextSnapshot(environment, occasion.now)
  const deployments = starting.flatMap(start =>
    deploymentsOf(start, replaced.get(start.artifact.artifact_key) ?? [], ids),
  )
  await insertDeployments(tx, occasion.org.org_id, {
    environment_id: environment.environment_id,
    snapshot_index,
    deployed_at: created_at,
    rows: await stringifyInPortions(deployments, PORTION),
  })
}

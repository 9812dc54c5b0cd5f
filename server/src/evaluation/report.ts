// Applies a report: compares it with the running artifacts, evaluates those that start, and takes a snapshot if any
// started or stopped. Anything missing from a complete report is treated as stopped. A late report is only recorded
// (late-report.ts). One transaction and a constant number of statements. Only started artifacts are evaluated here;
// other verdicts follow their evidence through pending evaluations.
import { createHash, hash } from 'node:crypto'
import type { Db } from '../db/database.ts'
import { computeAnnotation } from '../domain/snapshot/annotation.ts'
import { joinDetail } from '../domain/snapshot/canonical.ts'
import { type Changes, diffReport, keepUnseen } from '../domain/snapshot/changes.ts'
import { computeReportTime, isLate } from '../domain/snapshot/late.ts'
import type { ReportView, RunningArtifact } from '../domain/snapshot/reported.ts'
import { computeStaleAt, isStale } from '../domain/snapshot/staleness.ts'
import type { RequestContext } from '../events/record.ts'
import type { Ids } from '../lib/ids.ts'
import { forEachInChunks, stringifyInChunks } from '../lib/yield-to-event-loop.ts'
import { addAlternates } from './alternates-store.ts'
import {
  buildDeployments,
  findReplacedByArtifact,
  listSlots,
  type Replaced,
  type StartingArtifact,
} from './deployments.ts'
import { insertDeployments, listEarlierDeployments } from './deployments-store.ts'
import {
  type ArtifactEvaluation,
  type EvaluationTools,
  evaluateArtifacts,
  listFingerprints,
} from './evaluate-artifacts.ts'
import { findKnownFlows } from './known-flows-store.ts'
import { saveLateReport } from './late-report.ts'
import { readEnvironmentRules } from './rules-store.ts'
import * as running from './running-store.ts'
import { type StartedArtifact, takeSnapshot } from './snapshot.ts'
import { type LockedEnvironment, lockEnvironment, saveReported, toReportedRow } from './snapshot-store.ts'
import { recordReportingAgain } from './staleness.ts'
import type { StartedRow } from './started-store.ts'

const PORTION = 500

export interface Report {
  artifacts: readonly HashedArtifact[]
  /** Equal for two reports with the same content and the same gaps. */
  sha256: string
  view: ReportView
}

interface HashedArtifact extends RunningArtifact {
  alternates: readonly string[]
  /** The instances as JSON. */
  instances_json: string
  /** Equal for two reports with the same content for the artifact. */
  detail: string
}

/** Hashes the content of a report, so that it can be compared with the previous one. */
export async function hashReport(artifacts: readonly RunningArtifact[], view: ReportView): Promise<Report> {
  const whole = createHash('sha256')
  const hashed: HashedArtifact[] = []
  await forEachInChunks(artifacts, PORTION, artifact => {
    const { artifact_key, fingerprint, name, instance_count, instances } = artifact
    const instances_json = JSON.stringify(instances)
    const detail = hash('md5', joinDetail(name, instances_json))
    whole.update(`${JSON.stringify(artifact_key)} ${instance_count} ${detail}\n`)
    const alternates = instances.alternate_digests ?? []
    hashed.push({
      ...{ artifact_key, fingerprint, name, instance_count, instances, alternates },
      instances_json,
      detail,
    })
  })
  if (view.missing) whole.update(`partial ${JSON.stringify(view.missing)}\n`)
  return { artifacts: hashed, sha256: whole.digest('hex'), view }
}

export interface SavedReport {
  /** Null if the report made no snapshot. */
  snapshot_index: number | null
  /** Time of the newest report if this one arrived late; otherwise null. */
  late_after: Date | null
}

/** Undefined if the environment no longer exists. */
export async function saveReport(
  tx: Db,
  context: RequestContext,
  tools: EvaluationTools,
  reported: { environment_id: string; report: Report },
): Promise<SavedReport | undefined> {
  const { environment_id, report } = reported
  const { org_id } = context.org
  tx.expectRows(report.artifacts.length)
  const environment = await lockEnvironment(tx, org_id, environment_id)
  if (!environment) return undefined
  const { last_reported_at } = environment
  if (last_reported_at && isLate(report.view.observed_at, last_reported_at)) {
    await saveLateReport(tx, context, tools.ids, { environment, report, newest_at: last_reported_at })
    return { snapshot_index: null, late_after: last_reported_at }
  }
  const known = await running.listReported(tx, org_id, environment_id)
  tx.expectRows(known.length + report.artifacts.length)
  const changes = computeChanges(environment, known, report)
  // The first report makes a snapshot even if it is empty: from then on, "nothing is running" is known.
  const isFirst = environment.latest_index === 0
  await saveRefreshed(tx, org_id, environment, changes)
  const isOtherView = (environment.partial_since !== null) !== (report.view.missing !== null)
  const isSnapshot = changes.makes_snapshot || isFirst || isOtherView
  if (isSnapshot) await saveChanges(tx, context, tools, environment, { changes, report })
  else await saveUnchanged(tx, org_id, environment_id, report, context.now)
  await saveAlternates(tx, context, environment_id, changes)
  if (endsStaleness(environment, report, context.now))
    await recordReportingAgain(tx, context, tools.ids, environment)
  return { snapshot_index: isSnapshot ? environment.latest_index + 1 : null, late_after: null }
}

/** For a report that makes no snapshot. */
async function saveUnchanged(tx: Db, org_id: string, environment_id: string, report: Report, now: Date) {
  const { missing } = report.view
  await saveReported(tx, org_id, { environment_id, ...toReportedRow(report, now), missing, now })
}

/** Saves the alternates of artifacts that started or changed. Sends nothing if there are none. */
async function saveAlternates(
  tx: Db,
  { org, caller, now }: RequestContext,
  environment_id: string,
  { started, scaled, refreshed }: ReportChanges,
): Promise<void> {
  const changed = [...started, ...scaled.map(change => change.now), ...refreshed.map(change => change.now)]
  const pairs = changed.flatMap(({ artifact_key, alternates }) =>
    alternates.map(fingerprint => [artifact_key, fingerprint] as const),
  )
  if (pairs.length > 0)
    await addAlternates(tx, org.org_id, { environment_id, pairs, actor: caller.name, now })
}

type ReportChanges = Changes<running.KnownArtifact, HashedArtifact>

function computeChanges(
  { include_scaling }: LockedEnvironment,
  known: readonly running.KnownArtifact[],
  { artifacts, view }: Report,
): ReportChanges {
  const changes = diffReport(known, artifacts, include_scaling)
  return view.missing ? keepUnseen(changes, include_scaling) : changes
}

/** Even the newest report may be too old to end the staleness. */
function endsStaleness(environment: LockedEnvironment, { view }: Report, now: Date): boolean {
  const { stale_noticed_at, expected_report_interval } = environment
  const stale_at = computeStaleAt(computeReportTime(view.observed_at, now), expected_report_interval)
  return stale_noticed_at !== null && !isStale(stale_at, now)
}

/** Saves artifacts that keep running with other instances, for the next snapshot. */
async function saveRefreshed(
  tx: Db,
  org_id: string,
  { environment_id, include_scaling }: LockedEnvironment,
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
  await running.updateRefreshed(tx, org_id, {
    environment_id,
    rows: await stringifyInChunks(rows, PORTION),
  })
}

async function saveChanges(
  tx: Db,
  context: RequestContext,
  { ids, compiled_policies }: EvaluationTools,
  environment: LockedEnvironment,
  { changes: { started, exited }, report }: { changes: ReportChanges; report: Report },
): Promise<void> {
  const { environment_id } = environment
  const { org_id } = context.org
  const [{ policies, allow_list }, known] = await Promise.all([
    readEnvironmentRules(tx, org_id, environment_id, context.now),
    findKnownFlows(tx, org_id, listFingerprints(started)),
  ])
  const evaluated = await evaluateArtifacts(
    started,
    { policies, allow_list, known, now: context.now },
    compiled_policies,
  )
  const starting = started.map((artifact, i) => ({ artifact, flows: evaluated[i]?.evaluation.flows ?? [] }))
  const keys = exited.map(({ artifact_key }) => artifact_key)
  const earlier = await listEarlierDeployments(tx, org_id, environment_id, listSlots(starting))
  const replaced = findReplacedByArtifact(starting, earlier, new Set(keys))
  const stopped = keys.length === 0 ? [] : await running.deleteStopped(tx, org_id, { environment_id, keys })
  const taken = await takeSnapshot(tx, context, ids, {
    environment,
    policies,
    cause: 'report',
    started: await buildStarted(starting, evaluated, replaced, ids),
    stopped,
    report,
  })
  const deployments = starting.flatMap(start =>
    buildDeployments(start, replaced.get(start.artifact.artifact_key) ?? [], ids),
  )
  const { snapshot_index, created_at } = taken
  await insertDeployments(
    tx,
    org_id,
    { environment_id, snapshot_index, deployed_at: created_at },
    deployments,
  )
}

async function buildStarted(
  starting: readonly StartingHashed[],
  evaluated: readonly ArtifactEvaluation[],
  replaced: ReadonlyMap<string, Replaced[]>,
  ids: Ids,
): Promise<StartedArtifact[]> {
  const built: StartedArtifact[] = []
  await forEachInChunks(starting, PORTION, ({ artifact, flows }) => {
    const replaces = replaced.get(artifact.artifact_key) ?? []
    built.push({ row: buildStartedRow(artifact, evaluated[built.length], replaces, ids.next()), flows })
  })
  return built
}

interface StartingHashed extends StartingArtifact {
  artifact: HashedArtifact
}

function buildStartedRow(
  artifact: HashedArtifact,
  evaluated: ArtifactEvaluation | undefined,
  replaced: readonly Replaced[],
  start_id: string,
): StartedRow {
  const compliant = evaluated?.compliant ?? null
  const { instance_count } = artifact
  const nothing_else = { include_scaling: false, inputs_changed: false }
  const { flow_ids, repo_ids } = collectIds(evaluated)
  return {
    artifact_key: artifact.artifact_key,
    fingerprint: artifact.fingerprint,
    name: artifact.name,
    instance_count,
    instances: artifact.instances_json,
    detail_hash: artifact.detail,
    replaced: JSON.stringify(replaced),
    compliant,
    evaluation: JSON.stringify(evaluated?.evaluation),
    flow_ids,
    repo_ids,
    annotation: computeAnnotation(null, { instance_count, compliant }, nothing_else).type,
    code_diff: replaced[0]?.diff_url ?? null,
    start_id,
    is_known: flow_ids.length > 0,
  }
}

export function collectIds(evaluated: ArtifactEvaluation | undefined): {
  flow_ids: string[]
  repo_ids: string[]
} {
  const flows = evaluated?.evaluation.flows ?? []
  return {
    flow_ids: flows.map(({ flow_id }) => flow_id),
    repo_ids: [...new Set(flows.flatMap(({ repo_id }) => repo_id ?? []))],
  }
}

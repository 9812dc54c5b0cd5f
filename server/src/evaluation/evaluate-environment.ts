// Evaluates an environment again on current evidence, and takes a snapshot if a verdict or the attached policies
// changed. Other changes are stored with the running artifacts and appear in the next snapshot.

import { hash } from 'node:crypto'
import type { Database, Db } from '../db/database.ts'
import { computeAnnotation } from '../domain/snapshot/annotation.ts'
import { type Cause, listExpiredDecisions, pickCause } from '../domain/snapshot/cause.ts'
import { type RequestContext, recordEvent } from '../events/record.ts'
import { SYSTEM_ACTOR } from '../events/request-context.ts'
import { toWireId } from '../lib/ids.ts'
import { forEachInChunks, stringifyInChunks } from '../lib/yield-to-event-loop.ts'
import {
  type ArtifactEvaluation,
  type EvaluationTools,
  evaluateArtifacts,
  listFingerprints,
} from './evaluate-artifacts.ts'
import { findKnownFlows } from './known-flows-store.ts'
import { type ExpiredEntry, markEntryExpired, takePendingEvaluations } from './pending-store.ts'
import { collectIds } from './report.ts'
import { type AttachedPolicy, readEnvironmentRules } from './rules-store.ts'
import * as running from './running-store.ts'
import { takeSnapshot } from './snapshot.ts'
import {
  type AppliedPolicy,
  type LockedEnvironment,
  listAppliedPolicies,
  lockEnvironment,
  tryLockEnvironment,
} from './snapshot-store.ts'

const PORTION = 500

/**
 * Locks the environment, evaluates all its running artifacts, and takes a snapshot if a verdict or a policy changed.
 */
export async function evaluateEnvironment(
  tx: Db,
  context: RequestContext,
  tools: EvaluationTools,
  request: { environment_id: string; cause: Cause },
): Promise<void> {
  const environment = await lockEnvironment(tx, context.org.org_id, request.environment_id)
  if (environment) await evaluateLocked(tx, context, tools, { environment, keys: null, cause: request.cause })
}

/**
 * Processes all pending evaluations of an environment at once. If somebody else has locked the environment, they
 * stay pending, and the result is false. Those of an archived environment are discarded; it is evaluated when it is
 * restored.
 */
export async function evaluatePending(
  db: Database,
  tools: EvaluationTools,
  now: Date,
  { org_id, environment_id }: { org_id: string; environment_id: string },
): Promise<boolean> {
  return db.withTransaction({ org_id }, async tx => {
    const environment = await tryLockEnvironment(tx, org_id, environment_id)
    if (!environment) return false
    const pending = await takePendingEvaluations(tx, org_id, environment_id)
    const [first] = pending
    if (environment.archived_at || !first) return true
    tx.expectRows(pending.length)
    const keys = pending.map(({ artifact_key }) => artifact_key)
    await evaluateLocked(tx, buildContext(org_id, first.actor, now), tools, {
      environment,
      keys: keys.includes(null) ? null : [...new Set(keys.flatMap(key => key ?? []))],
      cause: pickCause(pending.map(({ cause }) => cause)),
    })
    return true
  })
}

/**
 * Expires an allow-list entry and evaluates the environment without it, unless somebody else has locked the
 * environment.
 */
export async function expireEntry(
  db: Database,
  tools: EvaluationTools,
  now: Date,
  entry: ExpiredEntry,
): Promise<void> {
  const { org_id, entry_id, environment_id, fingerprint, artifact_name } = entry
  const context = buildContext(org_id, SYSTEM_ACTOR, now)
  await db.withTransaction({ org_id }, async tx => {
    // Locked first, as in every change of the allow-list.
    const environment = await tryLockEnvironment(tx, org_id, environment_id)
    if (!environment) return
    if (!(await markEntryExpired(tx, org_id, entry_id))) return
    // An archived environment's name may belong to another environment by now.
    const isArchived = environment.archived_at !== null
    const environment_name = isArchived ? undefined : environment.name
    const data = { environment_name, artifact_fingerprint: fingerprint, artifact_name }
    await recordEvent(tx, context, tools.ids, {
      kind: 'allow_list_entry_expired',
      environment_id,
      data,
      row_ids: { allow_list_entry: entry_id },
    })
    if (!isArchived)
      await evaluateLocked(tx, context, tools, { environment, keys: null, cause: 'allow-list' })
  })
}

function buildContext(org_id: string, actor: string, now: Date): RequestContext {
  return { org: { org_id }, caller: { name: actor }, now, request_id: 'evaluation' }
}

interface EvaluationRequest {
  environment: LockedEnvironment
  /** Null for all running artifacts. */
  keys: string[] | null
  cause: Cause
}

async function evaluateLocked(
  tx: Db,
  context: RequestContext,
  { ids, compiled_policies }: EvaluationTools,
  request: EvaluationRequest,
): Promise<void> {
  const { environment, cause } = request
  const { environment_id, latest_index } = environment
  const { org_id } = context.org
  // A logical environment is evaluated through its members; before the first report there is nothing to evaluate.
  if (environment.type === 'logical' || latest_index === 0) return
  const [{ policies, allow_list }, in_force] = await Promise.all([
    readEnvironmentRules(tx, org_id, environment_id, context.now),
    listAppliedPolicies(tx, org_id, { environment_id, snapshot_index: latest_index }),
  ])
  const havePoliciesChanged = !areSamePolicies(in_force, policies)
  // A change of policies affects every artifact, pending or not.
  const keys = havePoliciesChanged ? null : request.keys
  const before = await running.listPreviousEvaluations(tx, org_id, { environment_id, keys })
  tx.expectRows(before.length)
  const known = await findKnownFlows(tx, org_id, listFingerprints(before))
  const evaluated = await evaluateArtifacts(
    before,
    { policies, allow_list, known, now: context.now },
    compiled_policies,
  )
  const changed = await findChangedRows(before, evaluated)
  if (changed.rows.length > 0) {
    const rows = await stringifyInChunks(changed.rows, PORTION)
    await running.updateEvaluations(tx, org_id, { environment_id, rows })
  }
  if (changed.flipped.length > 0 || havePoliciesChanged) {
    const why = explainCause(cause, changed.flipped)
    await takeSnapshot(tx, context, ids, { environment, policies, ...why, started: [], stopped: [] })
  }
}

/** A decision may expire while other evidence arrives: the expiry is the cause only if it changed a verdict. */
function explainCause(cause: Cause, flipped: readonly ArtifactEvaluation[]) {
  if (cause !== 'expired-decision') return { cause }
  const expired_decisions = listExpiredDecisions(flipped.map(({ evaluation }) => evaluation))
  if (expired_decisions.length === 0) return { cause: 'evidence' as const }
  const named = expired_decisions.map(each => ({ ...each, decision_id: toWireId(each.decision_id) }))
  return { cause, expired_decisions: named }
}

function areSamePolicies(in_force: readonly AppliedPolicy[], policies: readonly AttachedPolicy[]): boolean {
  const formatVersions = (list: readonly AppliedPolicy[]) =>
    list
      .map(({ policy_id, version }) => `${policy_id} ${version}`)
      .sort()
      .join()
  return formatVersions(in_force) === formatVersions(policies)
}

/** The rows that differ from the stored evaluation, and the evaluations whose verdict changed. */
async function findChangedRows(
  before: readonly running.PreviousEvaluation[],
  evaluated: readonly ArtifactEvaluation[],
) {
  const rows: running.EvaluatedRow[] = []
  const flipped: ArtifactEvaluation[] = []
  let i = 0
  await forEachInChunks(evaluated, PORTION, now => {
    const was = before[i++]
    if (!was) return
    const isFlipped = was.compliant !== now.compliant
    const { flow_ids, repo_ids } = collectIds(now)
    if (!isFlipped && was.evaluation_sha256 === hash('sha256', JSON.stringify(now.evaluation))) return
    if (isFlipped) flipped.push(now)
    rows.push({
      artifact_key: now.artifact_key,
      compliant: now.compliant,
      evaluation: now.evaluation,
      flow_ids,
      repo_ids,
      annotation: findAnnotation(was, now, flow_ids),
    })
  })
  return { rows, flipped }
}

function findAnnotation(
  was: running.PreviousEvaluation,
  now: ArtifactEvaluation,
  flow_ids: readonly string[],
): string | null {
  const gained = flow_ids.some(flow_id => !was.flow_ids.includes(flow_id))
  const { type } = computeAnnotation(
    { instance_count: 1, compliant: was.compliant },
    { instance_count: 1, compliant: now.compliant },
    { include_scaling: false, inputs_changed: false },
  )
  if (type !== 'unchanged') return type
  return gained ? 'updated-provenance' : null
}

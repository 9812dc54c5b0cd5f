// POST /attestations/{org}/{flow_name}/trail/{trail_name}/<kind>: attests something about a trail, an artifact on it,
// or an artifact that is reported later. This file has the parts that all kinds share; kinds.ts evaluates each kind.
import type { LeafReceipt } from '../../events/leaf-receipt.ts'
import { EventAuthor } from '../../events/request-context.ts'
import { type AppError, badRequest, forbidden, invalid, notFound } from '../../lib/errors.ts'
import { listArtifactsByFingerprint } from '../artifacts/store.ts'
import { noSuchFlow, requireFlow } from '../flows/problems.ts'
import type { AttachedFile, Caller, CallerOrg, Deps } from '../operation.ts'
import { describeOwnHand, listOwnNames, listRefusedNames, requireDecider } from '../shared/duties.ts'
import { refuseOtherContent } from '../shared/idempotency.ts'
import { noSuchTrail } from '../trails/problems.ts'
import { trailExists } from '../trails/store.ts'
import { type AttestationOutcome, buildAttestationPipeline } from './batcher.ts'
import type { CommonBody } from './bodies.ts'
import { withEvidenceQuota } from './evidence-quota.ts'
import { buildAttestationClaim } from './repeat.ts'
import type { ReportedAttestation } from './report-store.ts'

/** The result of evaluating the body of an attestation. */
export interface AttestationEvaluation {
  attestation_type: string
  counts_as_type: string
  control: string | null
  /** When it stops counting, in epoch seconds. */
  expires_at: number | null
  verdict: { is_compliant: boolean; expected: string; found: string }
  /** Stored beside the body to explain the verdict. */
  findings: Record<string, unknown>
}

export interface AttestationRequest {
  params: { flow_name: string; trail_name: string }
  body: CommonBody
  caller: Caller
  org: CallerOrg
  now: Date
  request_id: string
  receipt?: LeafReceipt | undefined
  operation_id: string
  idempotency_key: string | undefined
  attachments: readonly AttachedFile[]
}

/** Returns the id of the attestation. */
export async function storeAttestation(
  request: AttestationRequest,
  evaluation: AttestationEvaluation,
  deps: Deps,
): Promise<string | null> {
  refuseUnboundTarget(request.body)
  const isOverride = evaluation.attestation_type === 'override'
  if (isOverride) await requireDecider(deps.db, request, 'override')
  const own_names = isOverride ? listRefusedNames(request.org, await listOwnNames(deps.db, request)) : []
  const item = { ...buildItem(request, evaluation, deps), own_names }
  const add = () => deps.batches.add(buildAttestationPipeline, request.org.org_id, item)
  const stored = await (request.attachments.length > 0 ? addWithEvidence(request, deps, add) : add())
  refuseUnstored(request, item, stored)
  return stored.attestation_id
}

/** Throws the reason for which nothing of the report is stored. A repeated request is no such reason. */
export function refuseUnstored(
  request: AttestationRequest,
  item: Pick<ReportedAttestation, 'request_sha256'>,
  stored: AttestationOutcome,
): void {
  refuseOtherContent(stored.answered_sha256, item.request_sha256)
  const { flow_name, trail_name } = request.params
  if (stored.flow_id === null) throw noSuchFlow(flow_name, request.org.name)
  if (stored.trail_id === null) throw noSuchTrail(trail_name, flow_name, request.org.name)
  if (!stored.is_artifact_known) throw noSuchArtifact(request)
  if (stored.is_misdirected && stored.answered_sha256 === null) throw misdirected(request.body)
  if (stored.own_work_of !== null && stored.answered_sha256 === null) {
    throw ownWork(request.body, stored.own_work_of, request.caller)
  }
}

function ownWork({ attestation_name }: CommonBody, made_by: string, caller: Caller): AppError {
  const who = describeOwnHand(made_by, caller)
  return forbidden(
    `Attestation '${attestation_name}' was reported by ${who}. This organization requires another person to override it`,
  )
}

/** Stores the files first and the rows second, so that a row never names missing evidence. */
async function addWithEvidence<T>(
  request: AttestationRequest,
  deps: Deps,
  add: () => Promise<T>,
): Promise<T> {
  const { org, attachments } = request
  await refuseBeforeKeeping(request, deps)
  return withEvidenceQuota(deps, { org, files: attachments.map(({ file }) => file) }, async () => {
    for (const attachment of attachments) await attachment.keep()
    return add()
  })
}

function misdirected({ attestation_name, artifact_fingerprint }: CommonBody): AppError {
  return invalid({
    artifact_fingerprint:
      `Attestation '${attestation_name}' was reported for the trail and not for this artifact; omit the fingerprint ` +
      `to override it [input: ${artifact_fingerprint}]`,
  })
}

function noSuchArtifact({ params, body, org }: AttestationRequest): AppError {
  return notFound(
    `Artifact with fingerprint ${body.artifact_fingerprint} does not exist in trail "${params.trail_name}" of flow ` +
      `"${params.flow_name}" belonging to organization "${org.name}"`,
  )
}

/**
 * Checked only for requests with an attachment, so that a rejected request leaves no file. Trails are never removed.
 */
async function refuseBeforeKeeping(request: AttestationRequest, { db }: Deps): Promise<void> {
  const { org, params, body } = request
  const { flow_name, trail_name } = params
  const prefix = body.artifact_fingerprint
  await db.withTransaction({ org_id: org.org_id }, async tx => {
    const flow_id = await requireFlow(tx, org, flow_name)
    const isThere = await trailExists(tx, org.org_id, flow_id, trail_name)
    if (!isThere) throw noSuchTrail(trail_name, flow_name, org.name)
    if (prefix === undefined) return
    const artifacts = await listArtifactsByFingerprint(tx, org.org_id, { flow_name, prefix, trail_name })
    if (artifacts.length === 0) throw noSuchArtifact(request)
  })
}

/** A later artifact is identified by its name and its commit. With the name alone, any build would match. */
export function refuseUnboundTarget({
  target_artifacts = [],
  artifact_fingerprint,
  git_commit_info,
  attestation_name,
}: CommonBody) {
  if (target_artifacts.length === 0 || artifact_fingerprint !== undefined || git_commit_info !== undefined)
    return
  throw badRequest(
    `Attestation '${attestation_name}' for artifacts by name requires at least one of: artifact_fingerprint or git_commit_info.`,
  )
}

export function buildItem(
  request: AttestationRequest,
  evaluation: AttestationEvaluation,
  { ids }: Deps,
): Omit<ReportedAttestation, 'own_names'> {
  const { attestation_name, artifact_fingerprint, target_artifacts, ...report } = request.body
  const { attachments, caller, now, params } = request
  const files = attachments.map(({ file }) => file)
  return {
    ordinal: 0,
    flow_name: params.flow_name,
    trail_name: params.trail_name,
    attestation_id: ids.next(),
    event_id: ids.next(),
    artifact_fingerprint: artifact_fingerprint ?? null,
    target_artifacts: artifact_fingerprint === undefined ? (target_artifacts ?? []) : [],
    attestation_name,
    attestation_type: evaluation.attestation_type,
    counts_as_type: evaluation.counts_as_type,
    is_compliant: evaluation.verdict.is_compliant,
    git_commit: report.git_commit_info?.sha1 ?? null,
    control: evaluation.control,
    expires_at: evaluation.expires_at,
    report: { ...report, ...evaluation.findings, verdict: evaluation.verdict },
    files,
    actor: caller.name,
    ...buildAttestationClaim(request),
    author: new EventAuthor(request),
    now: now.toISOString(),
  }
}

// Stores the attestations of one organization in batches: reads the trails under their locks, decides in the domain what
// each report changes, and writes it.
import { makeStep, type Pipeline, type Step } from '../../db/database.ts'
import type { OverrideBasis } from '../../domain/decision-basis.ts'
import { fillWith, placeAttestation, type Slot } from '../../domain/trail/place-attestation.ts'
import { TRAIL_SUBJECT } from '../../domain/trail/subject.ts'
import { buildExpirySteps } from '../../evaluation/expiring-decisions-store.ts'
import { buildEventsStep } from '../../events/store.ts'
import type { EventToInsert } from '../../events/to-log.ts'
import { type Ids, toWireId } from '../../lib/ids.ts'
import { buildAnnounceSteps } from '../../notifications/flow-announce-store.ts'
import { buildRepoSteps } from '../repos/store.ts'
import { listCollected } from '../shared/collected.ts'
import { buildKeyReads, buildKeySteps, makeAnswerFinder } from '../shared/idempotency-store.ts'
import { countEvidence, lockUsage } from '../shared/usage-store.ts'
import type { RepoInfo } from '../shared/wire.ts'
import {
  buildMoreTrailReads,
  buildSlotsStep,
  buildStateSteps,
  buildTrailReads,
  evaluateLockedTrail,
  type LockedTrail,
  type LockedTrails,
  type StoredBuild,
  TRAIL_READS,
  type TrailChange,
  toLockedTrails,
} from '../trails/evaluate.ts'
import { buildFileSteps } from './files-store.ts'
import {
  buildInsertStep,
  type NewAttestation,
  needsResolving,
  type ReportedAttestation,
  type ResolvedReport,
  resolveReports,
  toReportKeys,
} from './report-store.ts'

/** The outcome of a report; nothing of a rejected report is stored. */
export interface AttestationOutcome {
  flow_id: string | null
  trail_id: string | null
  is_artifact_known: boolean
  is_misdirected: boolean
  own_work_of: string | null
  answered_sha256: string | null
  attestation_id: string | null
  /** For an override, what it replaces. */
  replaces: OverrideBasis['replaces']
}

export function buildAttestationPipeline(
  ids: Ids,
  org_id: string,
  reported: ReportedAttestation[],
): Pipeline<AttestationOutcome[]> {
  const items = reported.map((item, ordinal) => ({ ...item, ordinal }))
  const unresolved = items.filter(needsResolving)
  const resolving =
    unresolved.length === 0 ? [] : [makeStep(resolveReports, { org_id, items: unresolved.map(toReportKeys) })]
  const reads = [...buildTrailReads(org_id, items), ...resolving, ...buildKeyReads(org_id, items)]
  return {
    reads,
    readMore: rows => buildMoreTrailReads(org_id, rows, items.map(toTrailChange)),
    decide: rows => {
      const trails = toLockedTrails(rows, rows.slice(reads.length))
      const resolved = resolving.flatMap((_, i) => rows[TRAIL_READS + i] as ResolvedReport[])
      const findAnswer = makeAnswerFinder(rows[TRAIL_READS + resolving.length])
      const placed = placeReports(trails, items, { resolved, findAnswer })
      return {
        writes: buildWrites(ids, org_id, placed, trails.byId),
        outcome: placed.map(({ outcome }) => outcome),
      }
    },
  }
}

/** `placeAttestation` finds its builds among these. */
function toTrailChange(item: ReportedAttestation): TrailChange {
  const { flow_name, trail_name, artifact_fingerprint: fingerprint, target_artifacts, git_commit } = item
  const trail = { flow_name, trail_name }
  if (fingerprint !== null) return { ...trail, touched: [{ fingerprint, name: null, git_commit: null }] }
  if (target_artifacts.length === 0) return { ...trail, touched: 'all' }
  const names = git_commit === null ? [] : target_artifacts
  return { ...trail, touched: names.map(name => ({ fingerprint: null, name, git_commit })) }
}

interface PlacedReport {
  outcome: AttestationOutcome
  /** Undefined if nothing of the report is stored. */
  stored?: StoredReport
}

interface StoredReport {
  attestation: NewAttestation
  build: StoredBuild | null
  slots: Slot[]
  is_reattestation: boolean
  is_announced: boolean
}

interface ReadReports {
  resolved: readonly ResolvedReport[]
  findAnswer: ReturnType<typeof makeAnswerFinder>
}

/** Places the reports in order, so that each sees those before it. */
function placeReports(
  trails: LockedTrails,
  items: readonly ReportedAttestation[],
  { resolved, findAnswer }: ReadReports,
): PlacedReport[] {
  const resolvedAt = new Map(resolved.map(report => [report.ordinal, report]))
  const placed: PlacedReport[] = []
  const earlier: StoredReport[] = []
  for (const item of items) {
    const found = trails.find(item)
    const trail = trails.byId.get(found.trail_id ?? '')
    const answered = findAnswer(item)
    const report = {
      ...found,
      ...(resolvedAt.get(item.ordinal) ?? resolveByEvidence(trail, item)),
      answered_sha256: answered?.request_sha256 ?? null,
      answered_id: answered?.answered_id ?? null,
    }
    const result = placeReport(trail, item, report, earlier)
    placed.push(result)
    if (!result.stored) continue
    earlier.push(result.stored)
    if (trail) trail.slots = fillWith(trail.slots, result.stored.slots)
  }
  return placed
}

/** Resolves a report about the trail itself that overrides nothing. */
function resolveByEvidence(trail: LockedTrail | undefined, { attestation_name }: ReportedAttestation) {
  const isFilled = trail?.slots.some(
    slot => slot.artifact_id === TRAIL_SUBJECT && slot.attestation_name === attestation_name,
  )
  return {
    own_work_of: null,
    overridden_waiting_id: null,
    is_reattestation: isFilled === true,
    control_version: null,
  }
}

type FoundReport = ReturnType<LockedTrails['find']> &
  Omit<ResolvedReport, 'ordinal'> & { answered_sha256: string | null; answered_id: string | null }

function placeReport(
  trail: LockedTrail | undefined,
  item: ReportedAttestation,
  report: FoundReport,
  earlier: readonly StoredReport[],
): PlacedReport {
  const { flow_id, trail_id, answered_sha256 } = report
  const sameSubject = earlier
    .map(({ attestation }) => attestation)
    .filter(other => other.trail_id === trail_id && other.attestation_name === item.attestation_name)
  const own = sameSubject.find(({ actor }) => item.own_names.includes(actor))
  const refused = {
    flow_id,
    trail_id,
    is_artifact_known: true,
    is_misdirected: false,
    own_work_of: report.own_work_of ?? own?.actor ?? null,
    answered_sha256,
    attestation_id: report.answered_id,
    replaces: [],
  }
  if (!trail || flow_id === null || trail_id === null) return { outcome: refused }
  const placement = placeAttestation(trail, item)
  const outcome = {
    ...refused,
    is_artifact_known: placement.result !== 'unknown_artifact',
    is_misdirected: placement.result === 'misdirected',
    replaces: placement.result === 'placed' ? listReplaced(placement.slots, report) : [],
  }
  if (placement.result !== 'placed' || outcome.own_work_of !== null || answered_sha256 !== null)
    return { outcome }
  const { slots } = placement
  const build =
    trail.builds.find(({ artifact_id }) => artifact_id === placement.artifact?.artifact_id) ?? null
  const attestation = {
    ...item,
    flow_id,
    trail_id,
    artifact_id: build?.artifact_id ?? null,
    overridden_attestation_id:
      slots.find(slot => slot.overridden_attestation_id !== null)?.overridden_attestation_id ??
      report.overridden_waiting_id,
    report_text: JSON.stringify(item.report),
    control_version: report.control_version,
  }
  const is_reattestation =
    report.is_reattestation || sameSubject.some(other => hasSameTarget(other, attestation))
  return {
    outcome: { ...outcome, attestation_id: item.attestation_id },
    stored: { attestation, build, slots, is_reattestation, is_announced: report.is_announced },
  }
}

/** An override of a report that waits for its artifact has no slot. */
function listReplaced(
  slots: readonly Slot[],
  { overridden_waiting_id }: FoundReport,
): OverrideBasis['replaces'] {
  if (slots.length === 0) return [{ artifact_id: null, attestation_id: overridden_waiting_id }]
  return slots.map(({ artifact_id, overridden_attestation_id }) => ({
    artifact_id,
    attestation_id: overridden_attestation_id,
  }))
}

function hasSameTarget(a: NewAttestation, b: NewAttestation): boolean {
  return a.artifact_id === b.artifact_id && String(a.target_artifacts) === String(b.target_artifacts)
}

function buildWrites(
  ids: Ids,
  org_id: string,
  placed: readonly PlacedReport[],
  trails: ReadonlyMap<string, LockedTrail>,
): Step[] {
  const stored = placed.flatMap(report => report.stored ?? [])
  const attestations = stored.map(({ attestation }) => attestation)
  const [first] = attestations
  if (!first) return []
  const now = new Date(Math.max(...attestations.map(item => Date.parse(item.now))))
  const changed = [...new Set(attestations.map(({ trail_id }) => trail_id))].flatMap(
    id => trails.get(id) ?? [],
  )
  return [
    buildInsertStep(org_id, attestations),
    ...buildFileSteps(org_id, attestations),
    ...buildExpirySteps(org_id, attestations),
    buildSlotsStep(org_id, keepLast(stored)),
    ...buildKeySteps(
      org_id,
      attestations.map(item => ({ ...item, answer: { id: item.attestation_id } })),
    ),
    buildEventsStep(org_id, stored.map(buildEvent)),
    ...buildStateSteps(org_id, changed.map(evaluateLockedTrail), { actor: first.actor, now }),
    ...buildRepoSteps(
      org_id,
      attestations.map(item => ({
        ...item,
        fingerprint: item.artifact_fingerprint,
        repo_info: item.report.repo_info as RepoInfo,
      })),
      ids,
      now,
    ),
    ...buildEvidenceSteps(org_id, attestations),
    ...buildAnnounceSteps(
      org_id,
      stored.flatMap(({ attestation, is_announced }) => (is_announced ? attestation.event_id : [])),
      now,
    ),
  ]
}

/** A statement can write each slot only once. */
function keepLast(stored: readonly StoredReport[]) {
  const trails = new Map<string, Slot[]>()
  for (const { attestation, slots } of stored)
    trails.set(attestation.trail_id, fillWith(trails.get(attestation.trail_id) ?? [], slots))
  return [...trails].map(([trail_id, slots]) => ({ trail_id, slots }))
}

function buildEvent({ attestation, build, is_reattestation }: StoredReport): EventToInsert {
  const { event_id, author, flow_id, trail_id, target_artifacts, report } = attestation
  return {
    event_id,
    kind: build
      ? 'artifact_attestation_reported'
      : target_artifacts.length > 0
        ? 'trail_attestation_for_artifact_reported'
        : 'trail_attestation_reported',
    ...author,
    flow_id,
    trail_id,
    contents: { report: attestation.report_text },
    files: attestation.files,
    facts: getFacts(attestation),
    data: {
      attestation_type: attestation.attestation_type,
      attestation_id: toWireId(attestation.attestation_id),
      template_reference_name: attestation.attestation_name,
      is_compliant: attestation.is_compliant,
      artifact_fingerprint: attestation.artifact_fingerprint,
      artifact_name: build?.filename ?? null,
      target_artifact: build?.template_reference_name ?? target_artifacts[0] ?? null,
      git_commit_info: report.git_commit_info ?? null,
      is_reattestation,
      ...listCollected(report),
      ...(report.confirmed_decision !== undefined && { confirmed_decision: report.confirmed_decision }),
    },
  }
}

/** Facts that the event's data does not include. */
function getFacts(attestation: NewAttestation): Record<string, unknown> {
  const { git_commit, control, control_version, expires_at, overridden_attestation_id, target_artifacts } =
    attestation
  const facts: Record<string, unknown> = {}
  if (git_commit !== null) facts.git_commit = git_commit
  if (control !== null) facts.control = control
  if (control_version !== null) facts.control_version = control_version
  if (expires_at !== null) facts.expires_at = expires_at
  if (overridden_attestation_id !== null) facts.overridden = toWireId(overridden_attestation_id)
  if (target_artifacts.length > 1) facts.target_artifacts = target_artifacts
  return facts
}

/** Comes late, so that the row that counts all evidence of an organization is locked for as short as possible. */
function buildEvidenceSteps(org_id: string, items: readonly NewAttestation[]): Step[] {
  const attestation_ids = items.flatMap(item => (item.files.length === 0 ? [] : item.attestation_id))
  if (attestation_ids.length === 0) return []
  return [makeStep(lockUsage, { org_id }), makeStep(countEvidence, { org_id, attestation_ids })]
}

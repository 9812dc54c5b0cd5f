// Stores the artifact reports of one organization in batches: begins missing trails, reads all of them under their locks,
// decides in the domain what each report changes, and writes it.
import { type Db, makeStep, type Pipeline, runPipelineIn, type Step } from '../../db/database.ts'
import { fillWith, type Slot } from '../../domain/trail/place-attestation.ts'
import { placeBuild, placeEarlier } from '../../domain/trail/place-build.ts'
import { buildEventsStep } from '../../events/store.ts'
import type { EventToInsert } from '../../events/to-log.ts'
import { type Ids, toWireId } from '../../lib/ids.ts'
import { buildAnnounceSteps } from '../../notifications/flow-announce-store.ts'
import type { Deps } from '../operation.ts'
import { buildRepoSteps } from '../repos/store.ts'
import { listCollected } from '../shared/collected.ts'
import { buildKeyReads, buildKeySteps, makeAnswerFinder } from '../shared/idempotency-store.ts'
import {
  buildMoreTrailReads,
  buildSlotsStep,
  buildStateSteps,
  buildTrailReads,
  type EvaluatedTrail,
  evaluateLockedTrail,
  type LockedTrail,
  type LockedTrails,
  TRAIL_READS,
  type TrailChange,
  toLockedTrails,
} from '../trails/evaluate.ts'
import {
  applyTemplate,
  type BegunTrail,
  beginMissingTrails,
  type EarlierAttestation,
  type NewArtifact,
  type ReportedArtifact,
  readEarlierAttestations,
  saveArtifacts,
  supersedeArtifacts,
  toReportKeys,
} from './report-store.ts'

export interface ArtifactOutcome {
  flow_id: string | null
  artifact_id: string | null
  answered_sha256: string | null
}

/** Stores one report that brings a template for its trail. The outcome is all null when the flow does not exist. */
export async function storeWithTemplate(
  tx: Db,
  org_id: string,
  item: ReportedArtifact & { template_id: string },
  { ids }: Deps,
): Promise<ArtifactOutcome> {
  const { flow_name, trail_name, template_id } = item
  const [changed] = await tx.run(applyTemplate, { org_id, flow_name, trail_name, template_id })
  const [outcome] = await runPipelineIn(tx, buildArtifactPipeline(ids, org_id, [item], changed))
  return outcome ?? { flow_id: null, artifact_id: null, answered_sha256: null }
}

/** A trail with its content, as the log covers it. */
type StoredTrail = Pick<BegunTrail, 'trail_id' | 'content'>

/** `retemplated` is the trail whose template the only report replaced. */
export function buildArtifactPipeline(
  ids: Ids,
  org_id: string,
  reported: readonly ReportedArtifact[],
  retemplated?: StoredTrail,
): Pipeline<ArtifactOutcome[]> {
  const items = reported.map((item, ordinal) => ({ ...item, ordinal }))
  const keys = items.map(toReportKeys)
  const reads = [
    makeStep(beginMissingTrails, { org_id, items: keys }),
    ...buildTrailReads(org_id, items),
    makeStep(readEarlierAttestations, { org_id, items: keys }),
    ...buildKeyReads(org_id, items),
  ]
  const changes = items.map(item => toTrailChange(item, retemplated !== undefined))
  return {
    reads,
    readMore: ([, ...rows]) => buildMoreTrailReads(org_id, rows, changes),
    decide: ([begunRows, ...rows]) => {
      const begun = begunRows as BegunTrail[]
      const trails = toLockedTrails(rows, rows.slice(reads.length - 1))
      const placed = placeReports(
        trails,
        items,
        rows[TRAIL_READS] as EarlierAttestation[],
        makeAnswerFinder(rows[TRAIL_READS + 1]),
      )
      const trailEvents = items.flatMap(item => buildTrailEvents(item, trails.byId, begun, retemplated))
      return {
        writes: buildWrites(ids, org_id, placed, { trails: trails.byId, begun, trailEvents }),
        outcome: placed.map(({ outcome }) => outcome),
      }
    },
  }
}

/** Touches the build itself, and the builds that it supersedes. */
function toTrailChange(item: ReportedArtifact, is_retemplated: boolean): TrailChange {
  const { flow_name, trail_name, fingerprint, template_reference_name: name } = item
  const build = { fingerprint, name: null, git_commit: null }
  const earlier = item.supersedes_earlier ? [{ fingerprint: null, name, git_commit: null }] : []
  return { flow_name, trail_name, touched: is_retemplated ? 'all' : [build, ...earlier] }
}

interface PlacedReport {
  outcome: ArtifactOutcome
  /** Undefined if nothing of the report is stored. */
  stored?: {
    item: ReportedArtifact
    flow_id: string
    trail_id: string
    slots: Slot[]
    is_announced: boolean
  }
}

/** Places the reports in order, so that each sees those before it. The trails change with them. */
function placeReports(
  trails: LockedTrails,
  items: readonly ReportedArtifact[],
  earlier: readonly EarlierAttestation[],
  findAnswer: ReturnType<typeof makeAnswerFinder>,
): PlacedReport[] {
  return items.map((item, i) => {
    const { flow_id, trail_id, is_announced } = trails.find(item)
    const answered_sha256 = findAnswer(item)?.request_sha256 ?? null
    const trail = trails.byId.get(trail_id ?? '')
    if (!trail || flow_id === null || answered_sha256 !== null) {
      const artifact_id = trail ? (findBuild(trail, item)?.artifact_id ?? null) : null
      return { outcome: { flow_id, artifact_id, answered_sha256 } }
    }
    trail.builds = placeBuild(trail.builds, {
      ...item,
      is_declared_compliant: item.is_compliant,
      reported_by: item.actor,
    })
    const artifact_id = findBuild(trail, item)?.artifact_id ?? item.artifact_id
    const slots = placeEarlier(
      trail.slots,
      artifact_id,
      earlier.filter(({ ordinal }) => ordinal === i).map(({ ordinal, ...attestation }) => attestation),
    )
    trail.slots = fillWith(trail.slots, slots)
    const outcome = { flow_id, artifact_id, answered_sha256 }
    return {
      outcome,
      stored: { item: { ...item, artifact_id }, flow_id, trail_id: trail.trail_id, slots, is_announced },
    }
  })
}

function findBuild({ builds }: LockedTrail, { template_reference_name, fingerprint }: ReportedArtifact) {
  return builds.find(
    build => build.template_reference_name === template_reference_name && build.fingerprint === fingerprint,
  )
}

function buildWrites(
  ids: Ids,
  org_id: string,
  placed: readonly PlacedReport[],
  {
    trails,
    begun,
    trailEvents,
  }: { trails: ReadonlyMap<string, LockedTrail>; begun: readonly BegunTrail[]; trailEvents: EventToInsert[] },
): Step[] {
  const stored = placed.flatMap(report => report.stored ?? [])
  const items = stored.map(({ item }) => item)
  const [first] = items
  if (!first) return []
  const now = new Date(Math.max(...items.map(item => Date.parse(item.now))))
  const changed = [...new Set(stored.map(({ trail_id }) => trail_id))].flatMap(id => trails.get(id) ?? [])
  const evaluated = changed.map(evaluateLockedTrail)
  const reports = buildReports(stored, evaluated)
  const events = [...trailEvents, ...stored.map(buildEvent)]
  const announced = new Set(stored.flatMap(({ flow_id, is_announced }) => (is_announced ? flow_id : [])))
  return [
    makeStep(saveArtifacts, { org_id, reports }),
    ...buildSupersedeSteps(org_id, changed, reports),
    buildSlotsStep(org_id, stored),
    ...buildKeySteps(
      org_id,
      items.map(item => ({ ...item, answer: null })),
    ),
    buildEventsStep(org_id, events),
    ...buildStateSteps(org_id, evaluated, { actor: first.actor, now, begun }),
    ...buildRepoSteps(
      org_id,
      items.map(item => ({ ...item, repo_info: item.report.repo_info })),
      ids,
      now,
    ),
    ...buildAnnounceSteps(
      org_id,
      events.filter(({ flow_id }) => announced.has(flow_id ?? '')).map(({ event_id }) => event_id),
      now,
    ),
  ]
}

/** Builds each report with the artifact's state after the whole batch. */
function buildReports(
  stored: readonly NonNullable<PlacedReport['stored']>[],
  evaluated: readonly EvaluatedTrail[],
): NewArtifact[] {
  const states = new Map(evaluated.flatMap(({ builds }) => [...builds]))
  const current = new Set(
    evaluated.flatMap(({ trail }) =>
      trail.builds.filter(build => build.is_current).map(({ artifact_id }) => artifact_id),
    ),
  )
  return stored.map(({ item, flow_id, trail_id }) => ({
    ...item,
    flow_id,
    trail_id,
    state: states.get(item.artifact_id) ?? 'INCOMPLETE',
    is_current: current.has(item.artifact_id),
  }))
}

function buildSupersedeSteps(
  org_id: string,
  trails: readonly LockedTrail[],
  reports: readonly NewArtifact[],
): Step[] {
  if (!reports.some(({ supersedes_earlier }) => supersedes_earlier)) return []
  const artifact_ids = trails.flatMap(({ builds }) =>
    builds.filter(build => !build.is_current && build.state !== null).map(({ artifact_id }) => artifact_id),
  )
  return [makeStep(supersedeArtifacts, { org_id, artifact_ids })]
}

function buildTrailEvents(
  item: ReportedArtifact,
  trails: ReadonlyMap<string, LockedTrail>,
  begun: readonly BegunTrail[],
  retemplated: StoredTrail | undefined,
): EventToInsert[] {
  const begunHere = begun.find(({ trail_id }) => trail_id === item.trail_id)
  const stored = begunHere ?? retemplated
  const trail = trails.get(stored?.trail_id ?? '')
  if (!stored || !trail) return []
  const { trail_id, template_id, flow_id } = trail
  const changes = begunHere ? {} : { changes: ['template'] }
  return [
    {
      event_id: item.trail_event_id,
      kind: begunHere ? 'trail_reported' : 'trail_updated',
      ...item.author,
      flow_id,
      trail_id,
      data: { ...item.trail_event_data, template_id, ...changes },
      rows: [{ name: 'trail', id: trail_id, content: stored.content }],
    },
  ]
}

function buildEvent({ item, flow_id, trail_id }: NonNullable<PlacedReport['stored']>): EventToInsert {
  return {
    event_id: item.event_id,
    kind: 'artifact_creation_reported',
    ...item.author,
    flow_id,
    trail_id,
    contents: { report: JSON.stringify(item.report) },
    facts: item.is_compliant === null ? undefined : { is_compliant: item.is_compliant },
    data: {
      artifact_fingerprint: item.fingerprint,
      artifact_name: item.filename,
      artifact_id: toWireId(item.artifact_id),
      report_id: toWireId(item.report_id),
      template_reference_name: item.template_reference_name,
      git_commit: item.git_commit,
      git_commit_info: item.report.git_commit_info ?? null,
      ...listCollected(item.report),
    },
  }
}

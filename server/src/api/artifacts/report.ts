// POST /artifacts/{org}/{flow_name}: reports a build on a trail, which is begun if it does not exist, or on the flow
// alone (the older way). Reporting the same build again adds a report to the same artifact; the newest report counts.

import type { Db } from '../../db/database.ts'
import { buildRequestStep } from '../../evaluation/pending-store.ts'
import type { LeafReceipt } from '../../events/leaf-receipt.ts'
import { EventAuthor } from '../../events/request-context.ts'
import { buildEventsStep } from '../../events/store.ts'
import type { EventToInsert } from '../../events/to-log.ts'
import { invalid } from '../../lib/errors.ts'
import { toWireId } from '../../lib/ids.ts'
import { buildAnnounceStep } from '../../notifications/flow-announce-store.ts'
import { noSuchFlow } from '../flows/problems.ts'
import { type NewTemplate, saveTemplate } from '../flows/store.ts'
import { parseTemplateText } from '../flows/template.ts'
import { FlowPath } from '../flows/wire.ts'
import { Answer, type Caller, type CallerOrg, type Deps, defineOperation } from '../operation.ts'
import { listCollected, omitCollected, refuseWrongTime } from '../shared/collected.ts'
import { buildCreatedHeaders, CREATED_HEADERS } from '../shared/created-headers.ts'
import { EXAMPLE_COMMIT, EXAMPLE_FINGERPRINT } from '../shared/examples.ts'
import { buildIdempotencyClaim, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey, findSavedAnswer, type IdempotencyClaim, saveAnswer } from '../shared/idempotency-store.ts'
import { OK, Ok } from '../shared/wire.ts'
import { buildArtifactPipeline, storeWithTemplate } from './batcher.ts'
import { storeWithoutTrail } from './report-store.ts'
import type { ArtifactReport } from './store.ts'
import { ArtifactPost } from './wire.ts'

export const reportArtifact = defineOperation(
  {
    id: 'reportArtifact',
    method: 'POST',
    path: '/artifacts/{org}/{flow_name}',
    tag: 'Artifacts',
    summary: 'Report an artifact',
    description:
      'With `trail_name` and `template_reference_name` the artifact is reported on that trail, which is begun if ' +
      'it does not exist. Earlier attestations that named the artifact are bound to it if they have the same ' +
      'commit. Reporting the artifact again adds a report: all reports stay readable and the newest counts. ' +
      'Several builds under one `template_reference_name` all count for the trail, until a later one is reported ' +
      'with `supersedes_earlier`',
    access: 'member',
    family: 'report',
    audit: ['artifact_creation_reported', 'trail_reported', 'trail_updated'],
    params: FlowPath,
    body: ArtifactPost,
    returns: Ok,
    answer_headers: CREATED_HEADERS,
    creates: true,
    fails: [400, 403, 404, 422],
    example: {
      body: {
        fingerprint: EXAMPLE_FINGERPRINT,
        filename: 'backend:1.4.2',
        git_commit: EXAMPLE_COMMIT,
        build_url: 'https://ci.example.com/builds/42',
        commit_url: 'https://git.example.com/backend/commit/4f2c1d0b9a8e7f6d5c4b3a291807f6e5d4c3b2a1',
        trail_name: 'trail',
        template_reference_name: 'backend',
      },
    },
  },
  async (request, deps) => {
    const { trail_name, template_reference_name } = request.body
    if (trail_name === undefined && template_reference_name !== undefined) throw missingField('trail_name')
    if (trail_name !== undefined && template_reference_name === undefined)
      throw missingField('template_reference_name')
    refuseWrongTime('collected_at', request.body.collected_at, request.now)
    const template = readReportedTemplate(request, deps)
    const stored =
      trail_name === undefined || template_reference_name === undefined
        ? await reportWithoutTrail(request, template, deps)
        : await reportOnTrail(request, { trail_name, template_reference_name }, template, deps)
    refuseOtherContent(stored.answered_sha256, buildClaim(request).request_sha256)
    if (stored.flow_id === null && stored.answered_sha256 === null)
      throw noSuchFlow(request.params.flow_name, request.org.name)
    const path = [
      'artifacts',
      request.org.name,
      request.params.flow_name,
      'fingerprint',
      request.body.fingerprint,
    ]
    return new Answer(201, OK, buildCreatedHeaders(deps.base_url, path, stored.artifact_id))
  },
)

function readReportedTemplate({ body }: ReportRequest, { ids }: Deps): NewTemplate | undefined {
  return body.template === undefined ? undefined : parseTemplateText(body.template, ids, 'template')
}

interface TrailSlot {
  trail_name: string
  template_reference_name: string
}

function reportOnTrail(
  request: ReportRequest,
  trailSlot: TrailSlot,
  template: NewTemplate | undefined,
  deps: Deps,
): Promise<Stored> {
  const item = {
    // Drawn before the ids of the artifact, because events are listed in the order of their ids.
    trail_id: deps.ids.next(),
    trail_event_id: deps.ids.next(),
    trail_event_data: buildTrailEventData(request, trailSlot.trail_name),
    ...buildItem(request, deps),
    ...trailSlot,
  }
  if (!template) return deps.batches.add(buildArtifactPipeline, request.org.org_id, item)
  return storeInTransaction(request, item, deps, async tx => {
    const template_id = await saveTemplate(tx, request.org.org_id, template, request.now)
    return storeWithTemplate(tx, request.org.org_id, { ...item, idempotency_key: null, template_id }, deps)
  })
}

function reportWithoutTrail(request: ReportRequest, template: NewTemplate | undefined, deps: Deps) {
  const { org_id } = request.org
  const item = buildItem(request, deps)
  return storeInTransaction(request, item, deps, async tx => {
    const template_id = template ? await saveTemplate(tx, org_id, template, request.now) : null
    const { fingerprint, actor } = item
    const stored = await storeWithoutTrail(tx, org_id, { ...item, template_id })
    if (stored.flow_id === null || stored.artifact_id === null) return stored
    const event: EventToInsert = {
      event_id: item.event_id,
      kind: 'artifact_creation_reported',
      ...item.author,
      flow_id: stored.flow_id,
      contents: { report: JSON.stringify(item.report) },
      facts: item.is_compliant === null ? undefined : { is_compliant: item.is_compliant },
      data: {
        artifact_fingerprint: fingerprint,
        artifact_name: item.filename,
        artifact_id: toWireId(stored.artifact_id),
        report_id: toWireId(item.report_id),
        git_commit: item.git_commit,
        ...listCollected(item.report),
      },
    }
    await tx.runSteps([
      buildRequestStep(org_id, { fingerprints: [fingerprint], actor, now: request.now }),
      buildEventsStep(org_id, [event]),
      buildAnnounceStep(org_id, [item.event_id], request.now),
    ])
    return stored
  })
}

interface StoredIds {
  flow_id: string | null
  artifact_id: string | null
}

interface Stored extends StoredIds {
  answered_sha256: string | null
}

/** Stores nothing for a retry, or when the flow does not exist. */
function storeInTransaction(
  { org, params, now }: ReportRequest,
  item: IdempotencyClaim,
  { db }: Deps,
  store: (tx: Db) => Promise<StoredIds>,
): Promise<Stored> {
  return db.withTransaction({ org_id: org.org_id }, async tx => {
    const answered_sha256 = await claimKey(tx, org.org_id, item, now)
    if (answered_sha256 !== null) {
      const saved = await findSavedAnswer<{ id: string }>(tx, org.org_id, item)
      return { flow_id: null, artifact_id: saved?.id ?? null, answered_sha256 }
    }
    const { flow_id, artifact_id } = await store(tx)
    // Thrown inside the transaction, so that a failed request does not keep its idempotency key.
    if (flow_id === null) throw noSuchFlow(params.flow_name, org.name)
    await saveAnswer(tx, org.org_id, item, { id: artifact_id })
    return { flow_id, artifact_id, answered_sha256 }
  })
}

function missingField(field: string) {
  return invalid({ [field]: 'Field required [input: None]' })
}

interface ReportRequest {
  params: { flow_name: string }
  body: ArtifactPost
  caller: Caller
  org: CallerOrg
  now: Date
  request_id: string
  receipt?: LeafReceipt | undefined
  operation_id: string
  idempotency_key: string | undefined
}

function buildItem(request: ReportRequest, { ids }: Deps) {
  const { params, body, caller, now } = request
  const { fingerprint, filename, git_commit, trail_name, template_reference_name, ...report } = body
  return {
    ordinal: 0,
    flow_name: params.flow_name,
    artifact_id: ids.next(),
    report_id: ids.next(),
    event_id: ids.next(),
    fingerprint,
    filename,
    git_commit: git_commit ?? body.git_commit_info?.sha1 ?? null,
    is_compliant: body.is_compliant ?? null,
    supersedes_earlier: body.supersedes_earlier ?? false,
    template_id: null,
    report: report as ArtifactReport,
    actor: caller.name,
    ...buildClaim(request),
    author: new EventAuthor(request),
    now: now.toISOString(),
  }
}

function buildClaim(request: ReportRequest) {
  return buildIdempotencyClaim({ ...request, body: omitCollected(request.body) })
}

function buildTrailEventData({ body, caller, org }: ReportRequest, name: string): Record<string, unknown> {
  return {
    setting_user_id: toWireId(caller.id),
    git_commit_info: body.git_commit_info ?? null,
    repo_info: body.repo_info ?? null,
    trail_data_json: { org_id: toWireId(org.org_id), name, creating_user_id: toWireId(caller.id) },
  }
}

// POST /artifacts/{org}/{flow_name}: report a build. On a trail, which begins with it when it is not there yet; or, the
// older way, on the flow alone. The same build again is the same artifact.
import { markFingerprint } from '../../judging/marks-store.ts'
import { invalid } from '../../lib/errors.ts'
import { toWireId } from '../../lib/ids.ts'
import { noSuchFlow } from '../flows/problems.ts'
import { FlowPath } from '../flows/wire.ts'
import { Answer, type Caller, type CallerOrg, type Deps, operation } from '../operation.ts'
import { idempotencyOf, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey } from '../shared/idempotency-store.ts'
import { OK, Ok } from '../shared/wire.ts'
import { artifactLane } from './lane.ts'
import { type ArtifactReport, storeWithoutTrail } from './store.ts'
import { ArtifactPost } from './wire.ts'

export const reportArtifact = operation(
  {
    id: 'reportArtifact',
    method: 'POST',
    path: '/artifacts/{org}/{flow_name}',
    tag: 'Artifacts',
    summary: 'Report an artifact',
    description:
      'With `trail_name` and `template_reference_name` the artifact is reported on that trail, which begins with it when ' +
      'it is not there yet; attestations that named it before are bound to it when they are of the same commit',
    access: 'member',
    audit: ['artifact_creation_reported', 'trail_reported'],
    params: FlowPath,
    body: ArtifactPost,
    returns: Ok,
    creates: true,
    fails: [400, 403, 404, 422],
    example: {
      body: {
        fingerprint: 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',
        filename: 'backend:1.4.2',
        git_commit: '4f2c1d0b9a8e7f6d5c4b3a291807f6e5d4c3b2a1',
        build_url: 'https://ci.example.com/builds/42',
        commit_url: 'https://git.example.com/backend/commit/4f2c1d0b9a8e7f6d5c4b3a291807f6e5d4c3b2a1',
        trail_name: 'trail',
        template_reference_name: 'backend',
      },
    },
  },
  async (request, deps) => {
    const { trail_name, template_reference_name } = request.body
    if (trail_name === undefined && template_reference_name !== undefined) throw required('trail_name')
    if (trail_name !== undefined && template_reference_name === undefined)
      throw required('template_reference_name')
    const stored =
      trail_name === undefined || template_reference_name === undefined
        ? await reportWithoutTrail(request, deps)
        : await artifactLane(deps).add(request.org.org_id, {
            // Before the ids of the artifact: a story is told in the order of its ids.
            trail_id: deps.ids.next(),
            trail_event_id: deps.ids.next(),
            trail_event_data: trailEventData(request, trail_name),
            ...common(request, deps),
            trail_name,
            template_reference_name,
          })
    refuseOtherContent(stored.answered_sha256, idempotencyOf(request).request_sha256)
    if (stored.flow_id === null && stored.answered_sha256 === null)
      throw noSuchFlow(request.params.flow_name, request.org.name)
    return new Answer(201, OK)
  },
)

function reportWithoutTrail(request: ReportRequest, deps: Deps) {
  const { org, params, now } = request
  return deps.db.inTransaction({ org_id: org.org_id }, async tx => {
    const item = common(request, deps)
    const answered_sha256 = await claimKey(tx, org.org_id, item, now)
    if (answered_sha256 !== null) return { flow_id: null, answered_sha256 }
    const { fingerprint, actor } = item
    // Sent together; a refusal undoes both.
    const [{ flow_id }] = await Promise.all([
      storeWithoutTrail(tx, org.org_id, item),
      markFingerprint(tx, org.org_id, { fingerprint, actor, now }),
    ])
    // Thrown inside, so that a refused request does not keep its name.
    if (flow_id === null) throw noSuchFlow(params.flow_name, org.name)
    return { flow_id, answered_sha256 }
  })
}

function required(field: string) {
  return invalid({ [field]: 'Field required [input: None]' })
}

interface ReportRequest {
  params: { flow_name: string }
  body: ArtifactPost
  caller: Caller
  org: CallerOrg
  now: Date
  request_id: string
  idempotency_key: string | undefined
}

function common(request: ReportRequest, { ids }: Deps) {
  const { params, body, caller, now, request_id } = request
  const { fingerprint, filename, git_commit, trail_name, template_reference_name, ...report } = body
  return {
    ordinal: 0,
    flow_name: params.flow_name,
    artifact_id: ids.next(),
    event_id: ids.next(),
    fingerprint,
    filename,
    git_commit: git_commit ?? body.git_commit_info?.sha1 ?? null,
    report: report as ArtifactReport,
    actor: caller.name,
    ...idempotencyOf(request),
    request_id,
    now: now.toISOString(),
  }
}

function trailEventData({ body, caller, org }: ReportRequest, name: string): Record<string, unknown> {
  return {
    setting_user_id: toWireId(caller.id),
    git_commit_info: body.git_commit_info ?? null,
    repo_info: body.repo_info ?? null,
    trail_data_json: { org_id: toWireId(org.org_id), name, creating_user_id: toWireId(caller.id) },
  }
}

// POST /approvals/{org}/{flow_name}: approves an artifact, or requests an approval.
import type { Db } from '../../db/database.ts'
import { type RequestContext, recordEvent } from '../../events/record.ts'
import { assert } from '../../lib/assert.ts'
import { forbidden } from '../../lib/errors.ts'
import { announceEvents } from '../../notifications/flow-announce-store.ts'
import { noSuchFlow } from '../flows/problems.ts'
import { FlowPath } from '../flows/wire.ts'
import { Answer, type Caller, type CallerOrg, type Deps, defineOperation } from '../operation.ts'
import { describeOwnHand, listOwnNames, listRefusedNames, requireDecider } from '../shared/duties.ts'
import { findOwnReporter } from '../shared/duties-store.ts'
import { EXAMPLE_COMMIT, EXAMPLE_FINGERPRINT } from '../shared/examples.ts'
import { buildIdempotencyClaim, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey, findSavedAnswer, saveAnswer } from '../shared/idempotency-store.ts'
import { DEPRECATED, noSuchArtifact } from './problems.ts'
import * as store from './store.ts'
import { Approval, ApprovalPost, buildApprovals, toWire } from './wire.ts'

export const createApproval = defineOperation(
  {
    id: 'createApproval',
    method: 'POST',
    path: '/approvals/{org}/{flow_name}',
    tag: 'Approvals',
    summary: 'Approve an artifact, or request an approval',
    description:
      'Kept for existing clients: no verdict depends on an approval. Without `approvals` it is a request, which ' +
      'stays `PENDING`. The environment is stored by name and does not have to exist',
    access: 'member',
    audit: 'approval_created',
    params: FlowPath,
    body: ApprovalPost,
    returns: Approval,
    creates: true,
    fails: [400, 403, 404, 422],
    deprecated: DEPRECATED,
    example: {
      body: {
        artifact_fingerprint: EXAMPLE_FINGERPRINT,
        environment: 'production',
        description: 'The release of March',
        src_commit_list: [EXAMPLE_COMMIT],
        approvals: [
          {
            state: 'APPROVED',
            comment: 'Seen and tried',
            approved_by: 'External',
            approval_url: 'https://ci.example.com/approvals/7',
          },
        ],
        user_data: {},
      },
    },
  },
  async (request, deps) => {
    const { org, now } = request
    await requireDecider(deps.db, request, 'approve')
    const own_names = listRefusedNames(org, await listOwnNames(deps.db, request))
    const idempotency = buildIdempotencyClaim(request)
    const approval = await deps.db.withTransaction({ org_id: org.org_id }, async tx => {
      const answered_sha256 = await claimKey(tx, org.org_id, idempotency, now)
      refuseOtherContent(answered_sha256, idempotency.request_sha256)
      const isNew = answered_sha256 === null
      const approvalKey = isNew
        ? await create(tx, { ...request, own_names }, deps)
        : await findSavedAnswer<ApprovalKey>(tx, org.org_id, idempotency)
      assert(approvalKey, 'the answer is saved in the transaction that claims the key')
      if (isNew) await saveAnswer(tx, org.org_id, idempotency, approvalKey)
      const stored = await store.findApproval(tx, org.org_id, approvalKey.flow_id, approvalKey.number)
      assert(stored, 'an approval is never removed')
      return toWire(stored)
    })
    return new Answer(201, approval)
  },
)

interface ApprovalRequest extends RequestContext {
  org: CallerOrg
  params: { flow_name: string }
  body: ApprovalPost
  caller: Caller
  /** Names under which the caller must not have reported the artifact. */
  own_names: string[]
}

interface ApprovalKey {
  flow_id: string
  number: number
}

async function create(tx: Db, request: ApprovalRequest, { ids }: Deps): Promise<ApprovalKey> {
  const { org, params, body, caller, now } = request
  const approvalKey = await store.allocateNumber(tx, org.org_id, params.flow_name)
  if (!approvalKey) throw noSuchFlow(params.flow_name, org.name)
  const { flow_id, number } = approvalKey
  const { artifact_fingerprint } = body
  const artifact = await store.findArtifact(tx, org.org_id, flow_id, artifact_fingerprint)
  if (!artifact) throw noSuchArtifact(artifact_fingerprint, params.flow_name, org.name)
  await refuseOwnArtifact(tx, request, flow_id)
  const approval: store.NewApproval = {
    flow_id,
    number,
    artifact_fingerprint,
    artifact_name: artifact.filename,
    environment_name: body.environment || null,
    description: body.description,
    state: computeState(body.approvals),
    approvals: buildApprovals(body, now),
    src_commit_list: body.src_commit_list,
    oldest_commit: body.oldest_commit || null,
    user_data: body.user_data ?? null,
    created_by: caller.name,
  }
  await store.insertApproval(tx, org.org_id, approval, now)
  const { state, environment_name, artifact_name } = approval
  const data = { artifact_fingerprint, artifact_name, approval_number: number, environment_name, state }
  // An artifact reported without a trail (the older way) has none.
  const trail = artifact.trail_id === null ? {} : { trail_id: artifact.trail_id }
  const event_id = await recordEvent(tx, request, ids, { kind: 'approval_created', flow_id, ...trail, data })
  await announceEvents(tx, org.org_id, [event_id], now)
  return { flow_id, number }
}

/** A request for approval may come from anyone. */
async function refuseOwnArtifact(
  tx: Db,
  { org, body, caller, own_names }: ApprovalRequest,
  flow_id: string,
): Promise<void> {
  if (own_names.length === 0 || body.approvals.length === 0) return
  const { artifact_fingerprint: fingerprint } = body
  const made_by = await findOwnReporter(tx, org.org_id, { flow_id, fingerprint, own_names })
  if (made_by === undefined) return
  throw forbidden(
    `Artifact with fingerprint ${fingerprint} was reported by ${describeOwnHand(made_by, caller)}. ` +
      'This organization requires another person to approve it',
  )
}

function computeState(approvals: ApprovalPost['approvals']): Approval['state'] {
  return approvals.length > 0 && approvals.every(({ state }) => state === 'APPROVED') ? 'APPROVED' : 'PENDING'
}

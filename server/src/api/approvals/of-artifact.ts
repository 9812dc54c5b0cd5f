// GET /artifacts/{org}/{flow_name}/{fingerprint}/approvals: the approvals of an artifact, oldest first.
import { requireFlow } from '../flows/problems.ts'
import { defineOperation } from '../operation.ts'
import { EXAMPLE_FINGERPRINT } from '../shared/examples.ts'
import { resolveFingerprint } from '../shared/fingerprints.ts'
import { DEPRECATED, noSuchArtifact } from './problems.ts'
import * as store from './store.ts'
import { ApprovalList, ArtifactApprovalsPath, toWire } from './wire.ts'

export const listApprovalsOfArtifact = defineOperation(
  {
    id: 'listApprovalsOfArtifact',
    method: 'GET',
    path: '/artifacts/{org}/{flow_name}/{fingerprint}/approvals',
    tag: 'Approvals',
    summary: 'List the approvals of an artifact, oldest first',
    access: 'reader',
    audit: 'none: reads',
    params: ArtifactApprovalsPath,
    returns: ApprovalList,
    fails: [400, 403, 404],
    deprecated: DEPRECATED,
    example: { params: { fingerprint: EXAMPLE_FINGERPRINT } },
  },
  ({ params, org }, { db }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const { flow_name, fingerprint: prefix } = params
      const flow_id = await requireFlow(tx, org, flow_name)
      const fingerprint = await resolveFingerprint(tx, org.org_id, { flow_id, prefix })
      if (fingerprint === undefined) throw noSuchArtifact(prefix, flow_name, org.name)
      return (await store.listArtifactApprovals(tx, org.org_id, flow_id, fingerprint)).map(toWire)
    }),
)

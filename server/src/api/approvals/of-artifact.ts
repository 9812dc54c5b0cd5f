// GET /artifacts/{org}/{flow_name}/{fingerprint}/approvals: the approvals of an artifact; the last is the newest.
import { requireFlow } from '../flows/problems.ts'
import { operation } from '../operation.ts'
import { DEPRECATED, noSuchArtifact } from './problems.ts'
import * as store from './store.ts'
import { ApprovalList, ArtifactApprovalsPath, toWire } from './wire.ts'

export const listApprovalsOfArtifact = operation(
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
    example: { params: { fingerprint: 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c' } },
  },
  ({ params, org }, { db }) =>
    db.inTransaction({ org_id: org.org_id }, async tx => {
      const { flow_name, fingerprint } = params
      const flow_id = await requireFlow(tx, org, flow_name)
      const rows = await store.approvalsOfArtifact(tx, org.org_id, flow_id, fingerprint)
      if (rows.length === 0 && (await store.artifactName(tx, org.org_id, flow_id, fingerprint)) === undefined)
        throw noSuchArtifact(fingerprint, flow_name, org.name)
      return rows.map(toWire)
    }),
)

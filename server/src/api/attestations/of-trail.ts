// GET /attestations/{org}/{flow_name}/trail/{trail_name}/{attestation_name}: the attestations of a trail with a name.
import { requireFlow } from '../flows/problems.ts'
import { defineOperation } from '../operation.ts'
import { ArchivedQuery } from '../shared/archived.ts'
import { noSuchTrail } from '../trails/problems.ts'
import { trailExists } from '../trails/store.ts'
import { listTrailAttestations } from './store.ts'
import { AttestationList, AttestationsOfTrailPath, toWire } from './wire.ts'

export const listAttestationsOfTrail = defineOperation(
  {
    id: 'listAttestationsOfTrail',
    method: 'GET',
    path: '/attestations/{org}/{flow_name}/trail/{trail_name}/{attestation_name}',
    tag: 'Attestations',
    summary: 'List the attestations with a name on a trail',
    access: 'reader',
    visitors: 'public_read',
    audit: 'none: reads',
    params: AttestationsOfTrailPath,
    query: ArchivedQuery,
    returns: AttestationList,
    fails: [400, 403, 404],
    example: { params: { attestation_name: 'peer-review' } },
  },
  ({ params, query, org }, { db, base_url }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const { flow_name, trail_name, attestation_name } = params
      const flow_id = await requireFlow(tx, org, flow_name, query.archived)
      const [isThere, rows] = await Promise.all([
        trailExists(tx, org.org_id, flow_id, trail_name),
        listTrailAttestations(tx, org.org_id, { flow_id, trail_name, attestation_name }),
      ])
      if (!isThere) throw noSuchTrail(trail_name, flow_name, org.name)
      return rows.map(row => toWire(row, { base_url, org: org.name, org_id: org.org_id }))
    }),
)

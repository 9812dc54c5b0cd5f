// GET /controls/{org}/{identifier}/decisions/{decision_id}: one decision, with its supporting data.
import { parseWireId } from '../../../lib/ids.ts'
import { defineOperation } from '../../operation.ts'
import { noSuchDecision } from '../problems.ts'
import { requireControl } from './problems.ts'
import { findDecision } from './store.ts'
import { DecisionDetail, DecisionPath, toWireDetail } from './wire.ts'

export const getControlDecision = defineOperation(
  {
    id: 'getControlDecision',
    method: 'GET',
    path: '/controls/{org}/{identifier}/decisions/{decision_id}',
    tag: 'Controls',
    summary: 'Get a decision on a control',
    description: 'Includes the supporting data.',
    access: 'reader',
    feature: 'controls',
    beta: true,
    audit: 'none: reads',
    params: DecisionPath,
    returns: DecisionDetail,
    fails: [403, 404],
  },
  async ({ params, org, now }, { db, base_url }) => {
    const { identifier, decision_id } = params
    const attestation_id = parseWireId(decision_id)
    const row = attestation_id && (await findDecision(db, org.org_id, { identifier, attestation_id }))
    if (row) return toWireDetail(row, { base_url, org: org.name, now })
    await requireControl(db, org, identifier)
    throw noSuchDecision(decision_id, identifier)
  },
)

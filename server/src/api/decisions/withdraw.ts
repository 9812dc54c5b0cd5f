// DELETE /decisions/{org}/{decision_id}: withdraw or reject a decision waiting for a second person.
import { recordEvent } from '../../events/record.ts'
import { notFound } from '../../lib/errors.ts'
import { toWireId } from '../../lib/ids.ts'
import { defineOperation } from '../operation.ts'
import { OK, Ok } from '../shared/wire.ts'
import * as store from './store.ts'
import { DecisionPath, toDecisionId } from './wire.ts'

export const withdrawDecision = defineOperation(
  {
    id: 'withdrawDecision',
    method: 'DELETE',
    path: '/decisions/{org}/{decision_id}',
    tag: 'Decisions',
    summary: 'Withdraw or reject a waiting decision',
    description: 'The person who asked can withdraw it; any other member can reject it.',
    access: 'member',
    recheck_caller: true,
    audit: 'decision_withdrawn',
    params: DecisionPath,
    returns: Ok,
    fails: [403, 404],
  },
  (request, { db, ids }) => {
    const { params, org, caller, now } = request
    const { org_id } = org
    return db.withTransaction({ org_id }, async tx => {
      const waiting = await store.lockDecision(tx, org_id, toDecisionId(params), now)
      if (!waiting) throw notFound('Decision not found')
      const { decision_id, kind, subject, asked_by } = waiting
      await store.closeDecision(tx, org_id, {
        decision_id,
        closed_by: caller.name,
        outcome: 'withdrawn',
        now,
      })
      const data = { decision_id: toWireId(decision_id), decision: kind, subject, asked_by }
      await recordEvent(tx, request, ids, { kind: 'decision_withdrawn', data })
      return OK
    })
  },
)

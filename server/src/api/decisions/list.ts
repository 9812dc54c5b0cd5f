// GET /decisions/{org}: decisions that wait for a second person.
import { defineOperation } from '../operation.ts'
import { listOpenDecisions } from './store.ts'
import { DecisionsPath, toWire, WaitingDecisionList } from './wire.ts'

export const listDecisions = defineOperation(
  {
    id: 'listDecisions',
    method: 'GET',
    path: '/decisions/{org}',
    tag: 'Decisions',
    summary: 'List the decisions that wait for a second person',
    description:
      'Newest first. Another person confirms one by sending the same request as the first; the reason may differ. ' +
      'After seven days it has to be asked for again.',
    access: 'reader',
    audit: 'none: reads',
    params: DecisionsPath,
    returns: WaitingDecisionList,
    fails: [403],
  },
  async ({ org, now }, { db }) => (await listOpenDecisions(db, org.org_id, now)).map(toWire),
)

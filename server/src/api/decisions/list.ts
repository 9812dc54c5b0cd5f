// GET /decisions/{org}: decisions waiting for a second person.
import { defineOperation } from '../operation.ts'
import { listOpenDecisions } from './store.ts'
import { DecisionsPath, toWire, WaitingDecisionList } from './wire.ts'

export const listDecisions = defineOperation(
  {
    id: 'listDecisions',
    method: 'GET',
    path: '/decisions/{org}',
    tag: 'Decisions',
    summary: 'List decisions waiting for a second person',
    description:
      'Newest first. A second person confirms a decision by sending the same request as the first person; the reason ' +
      'may differ. A decision expires after seven days and must then be requested again. It lapses before if the first ' +
      'person may no longer decide, or if what it is based on has changed when the second request arrives.',
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: DecisionsPath,
    returns: WaitingDecisionList,
    fails: [403],
  },
  async ({ org, now }, { db }) => (await listOpenDecisions(db, org.org_id, now)).map(toWire),
)

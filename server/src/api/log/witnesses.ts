// GET /log/{org}/witnesses: who else has seen the log, and their statements.
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { requireLog } from './require-log.ts'
import { listSeenWitnesses } from './seen-witnesses.ts'
import { LogWitnesses } from './wire.ts'

export const getLogWitnesses = defineOperation(
  {
    id: 'getLogWitnesses',
    method: 'GET',
    path: '/log/{org}/witnesses',
    tag: 'Log',
    summary: 'List the witnesses of the log',
    description:
      'A witness cosigns a checkpoint if the log has only grown since the last one that it has seen. Empty if the operator has named no witnesses.',
    access: 'reader',
    audit: 'none: reads',
    params: OrgPath,
    returns: LogWitnesses,
    fails: [403, 404],
  },
  async ({ org }, { db, log_policy }) => {
    const { org_id } = org
    return db.withTransaction({ org_id }, async tx => {
      const { epoch, origin } = await requireLog(tx, org_id)
      const witnesses = await listSeenWitnesses(tx, log_policy, { org_id, epoch })
      return { origin, epoch, witnesses }
    })
  },
)

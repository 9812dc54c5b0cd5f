// GET /log/{org}/witnesses: who else has seen the log, and what they said.
import { notFound } from '../../lib/errors.ts'
import { findLogName } from '../../log/keys-store.ts'
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
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
      const log = await findLogName(tx, org_id)
      if (!log) throw notFound('The organization has no log yet: its first event opens it')
      const { epoch, origin } = log
      const witnesses = await listSeenWitnesses(tx, log_policy, { org_id, epoch })
      return { origin, epoch, witnesses }
    })
  },
)

// GET /log/{org}/status: the size of the log, its published part, and whether it can be signed.
import { assert } from '../../lib/assert.ts'
import { LogUnsigned } from '../../lib/errors.ts'
import { findLogStatus } from '../../log/checkpoint-store.ts'
import { listLogKeys } from '../../log/keys-store.ts'
import type { Logs } from '../../log/logs.ts'
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { listSeenWitnesses } from './seen-witnesses.ts'
import { LogStatus, toWireKey } from './wire.ts'

const MINUTE_S = 60

export const getLogStatus = defineOperation(
  {
    id: 'getLogStatus',
    method: 'GET',
    path: '/log/{org}/status',
    tag: 'Log',
    summary: 'Get the status of the log',
    description: 'For people and monitors. Also answers while the log cannot be signed, and says why.',
    access: 'reader',
    audit: 'none: reads',
    params: OrgPath,
    returns: LogStatus,
    fails: [403],
  },
  async ({ org }, { db, logs, log_policy }) => {
    const { org_id, settings } = org
    const is_public = settings.public_log ?? false
    const find = () =>
      db.withTransaction({ org_id }, async tx => {
        const log = await findLogStatus(tx, org_id)
        if (!log) return undefined
        const keys = await listLogKeys(tx, org_id, log.epoch)
        return {
          ...log,
          keys,
          witnesses: await listSeenWitnesses(tx, log_policy, { org_id, epoch: log.epoch }),
        }
      })
    if (!(await find())) return { ...EMPTY, public: is_public }
    const problem = await findProblem(logs, org_id)
    // The first signature creates the first key.
    const log = await find()
    assert(log, 'an open log stays')
    const { origin, epoch, size, checkpoint_size, checkpoint_minute } = log
    return {
      state: problem?.state ?? ('ok' as const),
      problem: problem?.reason ?? null,
      origin,
      epoch,
      size,
      checkpoint:
        checkpoint_size === null || checkpoint_minute === null
          ? null
          : { size: checkpoint_size, at: checkpoint_minute * MINUTE_S },
      keys: log.keys.map(toWireKey),
      witnesses: log.witnesses,
      public: is_public,
    }
  },
)

const EMPTY = {
  state: 'empty' as const,
  problem: null,
  origin: null,
  epoch: null,
  size: 0,
  checkpoint: null,
  keys: [],
  witnesses: [],
}

async function findProblem(logs: Logs, org_id: string): Promise<LogUnsigned | undefined> {
  try {
    await logs.sign(org_id)
    return undefined
  } catch (error) {
    if (error instanceof LogUnsigned) return error
    throw error
  }
}

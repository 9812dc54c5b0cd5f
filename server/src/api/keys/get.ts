// GET /user/api-keys/{key_id}: one active key of the caller.
import { parseWireId } from '../../lib/ids.ts'
import { defineOperation } from '../operation.ts'
import { findOwnKey } from './personal-store.ts'
import { noSuchKey } from './problems.ts'
import { ApiKey, OwnKeyPath, toWire } from './wire.ts'

export const getPersonalApiKey = defineOperation(
  {
    id: 'getPersonalApiKey',
    method: 'GET',
    path: '/user/api-keys/{key_id}',
    tag: 'User',
    summary: 'Get an API key of the caller',
    access: 'user',
    audit: 'none: reads',
    params: OwnKeyPath,
    returns: ApiKey,
    fails: [403, 404],
  },
  async ({ params, caller, now }, { db }) => {
    const key_id = parseWireId(params.key_id)
    const key = key_id && (await findOwnKey(db, caller.id, key_id, now))
    if (!key) throw noSuchKey()
    return toWire(key)
  },
)

// GET /user/api-keys: the active keys of the caller.
import { Type } from 'typebox'
import { defineOperation } from '../operation.ts'
import { listOwnKeys } from './personal-store.ts'
import { ApiKey, toWire } from './wire.ts'

export const listPersonalApiKeys = defineOperation(
  {
    id: 'listPersonalApiKeys',
    method: 'GET',
    path: '/user/api-keys',
    tag: 'User',
    summary: 'List the API keys of the caller',
    description: 'A plain array of active keys, oldest first. For people, not for service accounts.',
    access: 'user',
    audit: 'none: reads',
    reads: 'replica',
    returns: Type.Array(ApiKey),
    fails: [403],
  },
  async ({ caller, now }, { db }) => (await listOwnKeys(db, caller.id, now)).map(toWire),
)

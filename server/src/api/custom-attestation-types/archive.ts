// PUT /custom-attestation-types/{org}/{name}/archive: stops new attestations of the type.
import { recordEvent } from '../../events/record.ts'
import { defineOperation } from '../operation.ts'
import { OK, Ok } from '../shared/wire.ts'
import { noSuchType } from './problems.ts'
import * as store from './store.ts'
import { TypePath } from './wire.ts'

export const archiveCustomAttestationType = defineOperation(
  {
    id: 'archiveCustomAttestationType',
    method: 'PUT',
    path: '/custom-attestation-types/{org}/{name}/archive',
    tag: 'Custom attestation types',
    summary: 'Archive a custom attestation type',
    description:
      'Existing attestations and versions stay. Archiving it again changes nothing. Unarchive it to use it again.',
    access: 'member',
    audit: 'custom_type_archived',
    params: TypePath,
    returns: Ok,
    fails: [403, 404],
    example: { params: { name: 'coverage-to-archive' } },
  },
  (request, { db, ids }) => {
    const { params, org, now } = request
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const type = await store.lockType(tx, org.org_id, params.name)
      if (!type) throw noSuchType(params.name, org.name)
      if (type.archived_at) return OK
      await store.archiveType(tx, org.org_id, type.type_id, now)
      await recordEvent(tx, request, ids, { kind: 'custom_type_archived', data: { type_name: params.name } })
      return OK
    })
  },
)

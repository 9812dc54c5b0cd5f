// PUT /custom-attestation-types/{org}/{name}/unarchive: allows new attestations of the type again.
import { recordEvent } from '../../events/record.ts'
import { defineOperation } from '../operation.ts'
import { OK, Ok } from '../shared/wire.ts'
import { noSuchType } from './problems.ts'
import * as store from './store.ts'
import { TypePath } from './wire.ts'

export const unarchiveCustomAttestationType = defineOperation(
  {
    id: 'unarchiveCustomAttestationType',
    method: 'PUT',
    path: '/custom-attestation-types/{org}/{name}/unarchive',
    tag: 'Custom attestation types',
    summary: 'Unarchive a custom attestation type',
    description: 'Attestations of the type are accepted again. Changes nothing if the type is not archived.',
    access: 'member',
    audit: 'custom_type_unarchived',
    params: TypePath,
    returns: Ok,
    fails: [403, 404],
    example: { params: { name: 'coverage-to-unarchive' } },
  },
  (request, { db, ids }) => {
    const { params, org, now } = request
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const type = await store.lockType(tx, org.org_id, params.name)
      if (!type) throw noSuchType(params.name, org.name)
      if (!type.archived_at) return OK
      const { type_id, description } = type
      await store.updateType(tx, org.org_id, { type_id, description, now })
      await recordEvent(tx, request, ids, {
        kind: 'custom_type_unarchived',
        data: { type_name: params.name },
      })
      return OK
    })
  },
)

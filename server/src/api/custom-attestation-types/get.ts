// GET /custom-attestation-types/{org}/{name}: one type with all its versions, or with the requested one.
import { defineOperation } from '../operation.ts'
import { noSuchType, noSuchVersion } from './problems.ts'
import * as store from './store.ts'
import { CustomAttestationType, TypePath, TypeQuery, toWire, toWireWithoutDates } from './wire.ts'

export const getCustomAttestationType = defineOperation(
  {
    id: 'getCustomAttestationType',
    method: 'GET',
    path: '/custom-attestation-types/{org}/{name}',
    tag: 'Custom attestation types',
    summary: 'Get a custom attestation type',
    description:
      'Also returns archived types. With `version`, returns only that version, without who created the type and when.',
    access: 'reader',
    audit: 'none: reads',
    params: TypePath,
    query: TypeQuery,
    returns: CustomAttestationType,
    fails: [400, 403, 404],
    example: { params: { name: 'coverage-to-read' }, query: { version: '1' } },
  },
  async ({ params, query, org }, { db }) => {
    if (query.version !== undefined) {
      const row = await store.findTypeVersion(db, org.org_id, params.name, query.version)
      if (!row) throw noSuchType(params.name, org.name)
      if (row.version !== query.version) throw noSuchVersion(query.version, params.name)
      return toWireWithoutDates([row], org.name)
    }
    const [newest, ...older] = await store.listTypeVersions(db, org.org_id, params.name)
    if (!newest) throw noSuchType(params.name, org.name)
    return toWire([newest, ...older], org.name)
  },
)

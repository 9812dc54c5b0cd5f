// GET /custom-attestation-types/{org}: every type of the org with its versions.
import { operation } from '../operation.ts'
import * as store from './store.ts'
import { CustomAttestationTypeList, TypesPath, toWire } from './wire.ts'

export const listCustomAttestationTypes = operation(
  {
    id: 'listCustomAttestationTypes',
    method: 'GET',
    path: '/custom-attestation-types/{org}',
    tag: 'Custom attestation types',
    summary: 'List custom attestation types',
    description: 'By name, with all versions. Archived types are left out.',
    access: 'reader',
    audit: 'none: reads',
    params: TypesPath,
    returns: CustomAttestationTypeList,
    fails: [403],
  },
  async ({ org }, { db }) => {
    const types = new Map<string, [store.TypeRow, ...store.TypeRow[]]>()
    for (const row of await store.listTypes(db, org.org_id)) {
      const versions = types.get(row.name)
      if (versions) versions.push(row)
      else types.set(row.name, [row])
    }
    return [...types.values()].map(rows => toWire(rows, org.name))
  },
)

// GET /custom-attestation-types/{org}: every type of the organization with its versions.
import { Answer, defineOperation } from '../operation.ts'
import { ARCHIVED_COUNT, summarizeCounts } from '../shared/archived.ts'
import * as store from './store.ts'
import { CustomAttestationTypeList, TypeListQuery, TypesPath, toWire } from './wire.ts'

export const listCustomAttestationTypes = defineOperation(
  {
    id: 'listCustomAttestationTypes',
    method: 'GET',
    path: '/custom-attestation-types/{org}',
    tag: 'Custom attestation types',
    summary: 'List custom attestation types',
    description: 'Sorted by name, with all versions. Archived types are left out; a header has their number.',
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: TypesPath,
    query: TypeListQuery,
    returns: CustomAttestationTypeList,
    answer_headers: [ARCHIVED_COUNT],
    fails: [400, 403],
  },
  async ({ query, org }, { db }) => {
    const archived = query.archived ?? false
    const { rows, counted } = await store.listTypes(db, org.org_id, archived)
    const types = new Map<string, [store.TypeRow, ...store.TypeRow[]]>()
    for (const row of rows) {
      const versions = types.get(row.name)
      if (versions) versions.push(row)
      else types.set(row.name, [row])
    }
    const data = [...types.values()].map(versions => toWire(versions, org.name))
    return new Answer(200, data, summarizeCounts(archived, counted).headers)
  },
)

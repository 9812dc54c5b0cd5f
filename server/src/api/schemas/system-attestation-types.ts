// GET /attestations/system-attestation-types: the types that are reported to the operation `system`.
import { Type } from 'typebox'
import { SYSTEM_TYPES } from '../../domain/attestation/types.ts'
import { defineOperation } from '../operation.ts'
import { about, Closed } from '../shared/wire.ts'

/** The schema of a type has had no other version so far. */
const ONLY_VERSION = 1

const SystemAttestationType = Closed('SystemAttestationType', {
  name: Type.String(about('The `type_name` of its attestations', 'decision')),
  versions: Type.Array(
    Closed('SystemAttestationTypeVersion', {
      version: Type.Integer(about('Number of the version', ONLY_VERSION)),
      attestation_data_schema: Type.Record(
        Type.String(),
        Type.Unknown(),
        about('JSON Schema of `attestation_data`', { type: 'object' }),
      ),
    }),
    about('Versions of the type, newest first'),
  ),
})

export const listSystemAttestationTypes = defineOperation(
  {
    id: 'listSystemAttestationTypes',
    method: 'GET',
    path: '/attestations/system-attestation-types',
    tag: 'Attestations',
    summary: 'List the system attestation types, with the schemas of their data',
    description:
      'The types that `POST …/system` accepts as `type_name`. `GET /schemas/attestation-types/v1` lists all types',
    access: 'public',
    audit: 'none: reads',
    returns: Type.Array(SystemAttestationType, { title: 'SystemAttestationTypeList' }),
    fails: [],
  },
  async () =>
    SYSTEM_TYPES.map(({ name, fields }) => ({
      name,
      versions: [{ version: ONLY_VERSION, attestation_data_schema: { ...fields.attestation_data } }],
    })),
)

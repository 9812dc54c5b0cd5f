// GET /schemas/attestation-types/v1: the built-in attestation types.
import { ATTESTATION_TYPES } from '../../domain/attestation/types.ts'
import { defineOperation } from '../operation.ts'
import { AttestationTypeList, toWire } from './attestation-types-wire.ts'

export const listAttestationTypes = defineOperation(
  {
    id: 'listAttestationTypes',
    method: 'GET',
    path: '/schemas/attestation-types/v1',
    tag: 'Attestations',
    summary: 'List the built-in attestation types',
    description:
      'For editors, filters and scripts: the name of each type, when it is compliant, and a request that reports it. ' +
      'Custom types are listed by organization.',
    access: 'public',
    audit: 'none: reads',
    returns: AttestationTypeList,
    fails: [],
  },
  async () => ATTESTATION_TYPES.map(toWire),
)

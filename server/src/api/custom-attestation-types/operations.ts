// The operations of custom attestation types, in the order of the OpenAPI document.
import type { Operation } from '../operation.ts'
import { archiveCustomAttestationType, unarchiveCustomAttestationType } from './archive.ts'
import { createCustomAttestationType } from './create.ts'
import { getCustomAttestationType } from './get.ts'
import { listCustomAttestationTypes } from './list.ts'
import { tryCustomAttestationType } from './try.ts'

export const customAttestationTypeOperations: readonly Operation[] = [
  createCustomAttestationType,
  tryCustomAttestationType,
  listCustomAttestationTypes,
  getCustomAttestationType,
  archiveCustomAttestationType,
  unarchiveCustomAttestationType,
]

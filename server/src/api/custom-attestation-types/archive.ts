// PUT /custom-attestation-types/{org}/{name}/archive: stops new attestations of the type.
// PUT /custom-attestation-types/{org}/{name}/unarchive: allows them again.
import { recordEvent } from '../../events/record.ts'
import { defineArchiving } from '../shared/archiving.ts'
import { noSuchType } from './problems.ts'
import * as store from './store.ts'
import { TypePath } from './wire.ts'

const CUSTOM_TYPE = {
  path: '/custom-attestation-types/{org}/{name}',
  tag: 'Custom attestation types',
  access: 'member',
  params: TypePath,
  lock: store.lockType,
  missing: noSuchType,
} as const

export const archiveCustomAttestationType = defineArchiving(CUSTOM_TYPE, {
  id: 'archiveCustomAttestationType',
  verb: 'archive',
  summary: 'Archive a custom attestation type',
  description:
    'Existing attestations and versions stay. Archiving it again changes nothing. Unarchive it to use it again.',
  audit: 'custom_type_archived',
  example: { params: { name: 'coverage-to-archive' } },
  change: async (tx, request, { type_id, name: type_name }, { ids }) => {
    await store.archiveType(tx, request.org.org_id, type_id, request.now)
    await recordEvent(tx, request, ids, { kind: 'custom_type_archived', data: { type_name } })
  },
})

export const unarchiveCustomAttestationType = defineArchiving(CUSTOM_TYPE, {
  id: 'unarchiveCustomAttestationType',
  verb: 'unarchive',
  summary: 'Unarchive a custom attestation type',
  description: 'Attestations of the type are accepted again. Changes nothing if the type is not archived.',
  audit: 'custom_type_unarchived',
  example: { params: { name: 'coverage-to-unarchive' } },
  change: async (tx, request, { type_id, name: type_name, description }, { ids }) => {
    await store.updateType(tx, request.org.org_id, { type_id, description, now: request.now })
    await recordEvent(tx, request, ids, { kind: 'custom_type_unarchived', data: { type_name } })
  },
})

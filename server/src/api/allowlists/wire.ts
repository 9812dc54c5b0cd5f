// Allow-lists as the API sends and accepts them.

import { type Static, Type } from 'typebox'
import { FINGERPRINT } from '../../domain/names.ts'
import { IncludeArchived } from '../shared/archived.ts'
import { Closed, EpochSeconds, Nullable, toEpoch, toEpochOrNull } from '../shared/wire.ts'
import type { EntryRow } from './store.ts'

const MAX_ARTIFACT_NAME = 4096
const MAX_REASON = 65_536
/** The last second of the year 9999. */
const MAX_TIMESTAMP = 253_402_300_799

export const AllowListsPath = Closed('AllowListsPath', { org: Type.String() })
export const AllowListPath = Closed('AllowListPath', { org: Type.String(), env_name: Type.String() })
export const AllowListEntryPath = Closed('AllowListEntryPath', {
  org: Type.String(),
  env_name: Type.String(),
  fingerprint: Type.String({ pattern: FINGERPRINT }),
})

export const AllowListPut = Closed('AllowListPut', {
  artifact_fingerprint: Type.String({ pattern: FINGERPRINT }),
  artifact_name: Type.String({ minLength: 1, maxLength: MAX_ARTIFACT_NAME }),
  description: Type.String({
    minLength: 1,
    maxLength: MAX_REASON,
    description: 'Why the artifact is allowed',
  }),
  expires_at: Type.Optional(
    Nullable(
      Type.Number({
        minimum: 0,
        maximum: MAX_TIMESTAMP,
        description:
          'Seconds since 1970-01-01T00:00:00Z, in the future. Omit to keep the current expiry; null means no expiry',
      }),
    ),
  ),
})
export type AllowListPut = Static<typeof AllowListPut>

const IncludeEnded = Type.Optional(
  Type.Boolean({ description: 'Also list entries that were removed, were replaced or have expired' }),
)

export const AllowListsQuery = Closed('AllowListsQuery', {
  env_name: Type.Optional(Type.String({ description: 'Only entries of this environment' })),
  include_ended: IncludeEnded,
})
export const AllowListQuery = Closed('AllowListQuery', {
  include_ended: IncludeEnded,
  archived: IncludeArchived,
})

export const AllowListEntry = Closed('AllowListEntry', {
  org: Type.String(),
  environment_name: Type.String(),
  artifact_fingerprint: Type.String(),
  artifact_name: Type.String(),
  description: Type.String(),
  created_by: Type.String(),
  created_at: EpochSeconds,
  expires_at: Nullable(EpochSeconds),
  ended_at: Nullable(EpochSeconds),
  ended_by: Nullable(Type.String()),
  is_in_force: Type.Boolean(),
})
export type AllowListEntry = Static<typeof AllowListEntry>

export const AllowList = Type.Array(AllowListEntry, { title: 'AllowList' })

export function toWire(row: EntryRow, org: string, now: Date): AllowListEntry {
  return {
    org,
    environment_name: row.environment_name,
    artifact_fingerprint: row.fingerprint,
    artifact_name: row.artifact_name,
    description: row.description,
    created_by: row.created_by,
    created_at: toEpoch(row.created_at),
    expires_at: toEpochOrNull(row.expires_at),
    ended_at: toEpochOrNull(row.ended_at),
    ended_by: row.ended_by,
    // An entry may have expired before the job ended it.
    is_in_force: row.ended_at === null && (row.expires_at === null || row.expires_at > now),
  }
}

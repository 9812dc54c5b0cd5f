// Allow-lists as the API sends and accepts them.

import { type Static, Type } from 'typebox'
import { toWireId } from '../../lib/ids.ts'
import { ConfirmedDecision } from '../decisions/wire.ts'
import { IncludeArchived } from '../shared/archived.ts'
import {
  AllowedBy,
  AllowReason,
  ArtifactName,
  CreatedAt,
  EnvironmentName,
  ExpiresAtOrNull,
  Fingerprint,
  FingerprintInput,
  OrgName,
} from '../shared/fields.ts'
import { about, Closed, Naming, Nullable, Time, toEpoch, toEpochOrNull } from '../shared/wire.ts'
import type { EntryRow } from './store.ts'

const MAX_ARTIFACT_NAME = 4096
const MAX_REASON = 65_536
/** The last second of the year 9999. */
const MAX_TIMESTAMP = 253_402_300_799

export const AllowListsPath = Closed('AllowListsPath', { org: OrgName })
export const AllowListPath = Closed('AllowListPath', { org: OrgName, env_name: EnvironmentName })
export const AllowListEntryPath = Closed('AllowListEntryPath', {
  org: OrgName,
  env_name: EnvironmentName,
  fingerprint: FingerprintInput,
})

export const AllowListPut = Closed('AllowListPut', {
  artifact_fingerprint: FingerprintInput,
  artifact_name: Type.String({
    minLength: 1,
    maxLength: MAX_ARTIFACT_NAME,
    ...about('File or image name of the artifact', 'registry.example.com/backend:1.4.2'),
  }),
  description: Type.String({
    minLength: 1,
    maxLength: MAX_REASON,
    ...about('Why the artifact is allowed', 'Reviewed by hand'),
  }),
  expires_at: Type.Optional(
    Nullable(
      Type.Number({
        minimum: 0,
        maximum: MAX_TIMESTAMP,
        description:
          'Time of expiry, in epoch seconds. Omit to keep the current expiry; null means no expiry',
      }),
      { examples: [null] },
    ),
  ),
})
export type AllowListPut = Static<typeof AllowListPut>

const IncludeEnded = Type.Optional(
  Type.Boolean({ description: 'Also list entries that were removed, were replaced or have expired' }),
)

export const AllowListsQuery = Closed('AllowListsQuery', {
  env_name: Type.Optional(
    Naming('environment', Type.String(about('Only entries of this environment', 'production'))),
  ),
  include_ended: IncludeEnded,
})
export const AllowListQuery = Closed('AllowListQuery', {
  include_ended: IncludeEnded,
  archived: IncludeArchived,
})

export const AllowListEntry = Closed('AllowListEntry', {
  org: OrgName,
  environment_name: EnvironmentName,
  artifact_fingerprint: Fingerprint,
  artifact_name: ArtifactName,
  description: AllowReason,
  created_by: AllowedBy,
  created_at: CreatedAt,
  expires_at: ExpiresAtOrNull,
  ended_at: Nullable(Time('Time when it expired or was removed; null while it is in force'), {
    examples: [null],
  }),
  ended_by: Nullable(
    Type.String(),
    about('User or service account that removed it; null while it is in force or if it expired', null),
  ),
  is_in_force: Type.Boolean(about('Whether the entry is in force now', true)),
  confirmed_decision: Type.Optional(ConfirmedDecision),
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
    ...toConfirmed(row),
  }
}

/** The person who created the entry confirmed it. */
function toConfirmed(row: EntryRow): Pick<AllowListEntry, 'confirmed_decision'> {
  if (row.decision_id === null || row.asked_by === null || row.asked_at === null) return {}
  return {
    confirmed_decision: {
      decision_id: toWireId(row.decision_id),
      asked_by: row.asked_by,
      asked_at: toEpoch(row.asked_at),
      asked_reason: row.asked_reason ?? '',
      confirmed_by: row.created_by,
      confirmed_at: toEpoch(row.created_at),
      confirmed_reason: row.description,
    },
  }
}

// API schemas of policy changes in an environment.
import { type Static, Type } from 'typebox'
import { POLICY_CHANGES } from '../../../domain/policy/changes.ts'
import { IncludeArchived } from '../../shared/archived.ts'
import { EpochTime } from '../../shared/epoch-times.ts'
import { EnvironmentName } from '../../shared/fields.ts'
import { about, Closed, Nullable, OneOf, Time } from '../../shared/wire.ts'

export const PolicyChangesQuery = Closed('PolicyChangesQuery', {
  archived: IncludeArchived,
  from: EpochTime('Start, in epoch seconds; defaults to the first snapshot'),
  to: EpochTime('End, in epoch seconds; defaults to now'),
})

const PolicyChange = Closed('PolicyChange', {
  timestamp: Time('When the change took effect: the time of the first snapshot evaluated with it'),
  environment_name: Type.String(
    about('Name of the environment; of a member if the requested one is logical', 'production'),
  ),
  snapshot_index: Type.Integer(about('Index of that snapshot', 42)),
  change: OneOf([...POLICY_CHANGES], about('What happened to the policy', 'updated')),
  policy_name: Type.String(about('Name of the policy', 'live-rules')),
  version: Nullable(
    Type.Integer(about('Version in force since the change; null if the policy was detached', 3)),
  ),
  previous_version: Nullable(
    Type.Integer(about('Version in force before the change; null if the policy was attached', 2)),
  ),
})
export type PolicyChange = Static<typeof PolicyChange>

export const PolicyChanges = Closed('PolicyChanges', {
  environment_name: EnvironmentName,
  from: Time('Start of the period'),
  to: Time('End of the period', 1_772_625_600),
  known_since: Time('Earlier changes are left out; the start of the period if there are not too many'),
  changes: Type.Array(PolicyChange, about('The changes, oldest first')),
})
export type PolicyChanges = Static<typeof PolicyChanges>

// API schemas of the states of controls in environments.
import { type Static, Type } from 'typebox'
import {
  CONTROL_OUTCOMES,
  CONTROL_STATES,
  type ControlFacts,
  computeControlState,
  isOverdue,
  NO_ARTIFACTS,
  type OutcomeCounts,
  UNKNOWN_CAUSES,
} from '../../../domain/control/state.ts'
import { isStale } from '../../../domain/snapshot/staleness.ts'
import { EnvironmentName, EnvironmentType } from '../../shared/fields.ts'
import { about, Closed, Nullable, OneOf } from '../../shared/wire.ts'
import { ControlPath } from '../wire.ts'
import type { StateCell } from './store.ts'

export const ControlEnvironmentPath = Closed('ControlEnvironmentPath', {
  ...ControlPath.properties,
  env_name: EnvironmentName,
})

const ArtifactsByOutcome = Closed(
  'ControlArtifactCount',
  {
    failing: Type.Integer(about('Number of artifacts that fail a rule for the control', 1)),
    expired: Type.Integer(
      about('Number of artifacts that fail only because the decision on the control has expired', 0),
    ),
    'not-evaluated': Type.Integer(
      about('Number of artifacts that were not evaluated by the policies in force', 0),
    ),
    met: Type.Integer(about('Number of artifacts that meet every rule for the control', 4)),
    'not-applicable': Type.Integer(about('Number of artifacts to which no rule for the control applies', 2)),
  },
  about('Number of running artifacts by what the rules for the control say about them'),
)

export const STATE = {
  state: OneOf(
    [...CONTROL_STATES],
    about(
      'failing: an artifact that runs there does not meet it. expired: the same, only because the decision on it has ' +
        'expired. unknown: whether it is met is not known. not-required: no ' +
        'policy requires it of anything that runs there',
      'failing',
    ),
  ),
  unknown_because: Nullable(
    OneOf([...UNKNOWN_CAUSES]),
    about(
      'Why the state is unknown: nothing was reported yet, reports stay away, the newest report is partial, or artifacts ' +
        'wait for their evaluation; null for other states',
      null,
    ),
  ),
  artifact_count: ArtifactsByOutcome,
}

export const ControlCell = Closed('ControlCell', {
  environment_name: EnvironmentName,
  ...STATE,
  policies: Type.Array(
    Type.String(),
    about('Names of the policies there that require it', ['production-rules']),
  ),
})
export type ControlCell = Static<typeof ControlCell>

export const StateEnvironment = Closed('ControlStateEnvironment', {
  name: EnvironmentName,
  type: EnvironmentType,
})

export const Outcome = OneOf(
  [...CONTROL_OUTCOMES],
  about('What the rules for the control say about the artifact', 'failing'),
)

interface Place {
  latest_index: number
  stale_at: Date | null
  partial_since: Date | null
  waiting_since: Date | null
}

export function toCounts(cell: StateCell): OutcomeCounts {
  return {
    failing: cell.failing,
    expired: cell.expired,
    'not-evaluated': cell.not_evaluated,
    met: cell.met,
    'not-applicable': cell.not_applicable,
  }
}

/** `cell` is undefined if no policy requires the control there. */
export function toState(cell: StateCell | undefined, place: Place, now: Date) {
  const artifacts = cell ? toCounts(cell) : NO_ARTIFACTS
  const facts: ControlFacts = {
    is_required: cell !== undefined,
    has_reported: place.latest_index > 0,
    is_stale: isStale(place.stale_at, now),
    is_partial: place.partial_since !== null,
    is_overdue: isOverdue(place.waiting_since, now),
    artifacts,
  }
  return { ...computeControlState(facts), artifact_count: { ...artifacts }, policies: cell?.policies ?? [] }
}

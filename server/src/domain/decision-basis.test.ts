// When the first of two requests still counts.
import { describe, expect, it } from 'vitest'
import {
  type AllowBasis,
  type DecisionRequest,
  type FirstPerson,
  findLapse,
  type OverrideBasis,
} from './decision-basis.ts'
import type { Duties } from './duties.ts'

const MAX: FirstPerson = { name: 'max', role: 'member', groups: ['Release'] }
const override = (...replaces: OverrideBasis['replaces'][number][]): OverrideBasis => ({
  kind: 'override',
  attestation_name: 'scan',
  replaces,
})
const allow = (entry_id: string | null, ...policies: [string, number][]): AllowBasis => ({
  kind: 'allow',
  entry_id,
  policies: policies.map(([name, version]) => ({ policy_id: `id of ${name}`, name, version })),
})
const on = (artifact_id: string | null, attestation_id: string | null) => ({ artifact_id, attestation_id })
const IDS = { trail_id: 't1', attestation_name: 'scan' }
const BASIS = override(on('a1', 'w1'))

interface Case {
  person?: Partial<FirstPerson>
  duties?: Duties
  first?: Partial<DecisionRequest>
  now?: Partial<{ subject_ids: Record<string, unknown>; basis: AllowBasis | OverrideBasis }>
}

const find = ({ person, duties = {}, first, now }: Case) =>
  findLapse(
    { ...MAX, ...person },
    {
      first: { subject_ids: IDS, basis: BASIS, ...first },
      now: { subject_ids: IDS, basis: BASIS, ...now },
      duties,
      decision: 'override',
    },
  )

describe('the first request counts', () => {
  it.each<[string, Case]>([
    ['if nothing has changed', {}],
    ['if the person has another role that suffices', { person: { role: 'admin' } }],
    ['if the person is in the group', { duties: { decision_groups: ['release'] } }],
    [
      'in whatever order its parts are listed',
      {
        first: {
          subject_ids: { attestation_name: 'scan', trail_id: 't1' },
          basis: allow(null, ['a', 1], ['b', 2]),
        },
        now: { basis: allow(null, ['b', 2], ['a', 1]) },
      },
    ],
    [
      'for several artifacts',
      {
        first: { basis: override(on('a1', 'w1'), on('a2', null)) },
        now: { basis: override(on('a2', null), on('a1', 'w1')) },
      },
    ],
  ])('%s', (_, given) => {
    expect(find(given)).toBeUndefined()
  })
})

const OTHER_NAME = 'belongs to another one than when max asked'
const MAY_NOT = 'max may no longer make such decisions in this organization'
const REPORTED = "'scan' was reported or overridden since"

describe('the first request lapses', () => {
  it.each<[string, Case, string]>([
    ['when the person left', { person: { role: null } }, 'max is no longer a member of this organization'],
    ['when the role is too low for any decision', { person: { role: 'reader' } }, MAY_NOT],
    ['when the organization asks for more', { duties: { decision_role: 'admin' } }, MAY_NOT],
    ['when the group is lost', { person: { groups: [] }, duties: { decision_groups: ['release'] } }, MAY_NOT],
    [
      'when it has no ids',
      { first: { subject_ids: null, basis: null } },
      'An earlier version of the service stored the request, without what it was based on',
    ],
    [
      'when a name belongs to something else',
      { now: { subject_ids: { ...IDS, trail_id: 't2' } } },
      `The name of the trail ${OTHER_NAME}`,
    ],
    [
      'when another commit is named',
      { now: { subject_ids: { ...IDS, git_commit: 'c2' } } },
      'max asked for another commit',
    ],
    [
      'when something else differs',
      { now: { subject_ids: { ...IDS, attestation_name: 'tests' } } },
      'max asked for another attestation name',
    ],
    ['when there is new evidence', { now: { basis: override(on('a1', 'w2')) } }, REPORTED],
    ['when there is first evidence', { first: { basis: override(on('a1', null)) } }, REPORTED],
    [
      'when it covers more artifacts',
      { now: { basis: override(on('a1', 'w1'), on('a2', null)) } },
      "Other artifacts have 'scan' now",
    ],
    [
      'when what was awaited was built',
      { first: { basis: override(on(null, 'w1')) } },
      "Other artifacts have 'scan' now",
    ],
    [
      'when the entry has changed',
      { first: { basis: allow('e1') }, now: { basis: allow('e2') } },
      'The allow-list entry of the artifact has changed since',
    ],
    [
      'when a policy has a new version',
      { first: { basis: allow(null, ['strict', 1]) }, now: { basis: allow(null, ['strict', 3]) } },
      "Policy 'strict' has changed from version 1 to version 3 since",
    ],
    [
      'when a policy is attached',
      { first: { basis: allow(null) }, now: { basis: allow(null, ['strict', 1]) } },
      "Policy 'strict' was attached to the environment since",
    ],
    [
      'when a policy is detached',
      { first: { basis: allow(null, ['strict', 1]) }, now: { basis: allow(null) } },
      "Policy 'strict' was detached from the environment since",
    ],
  ])('%s', (_, given, reason) => {
    expect(find(given)).toBe(reason)
  })
})

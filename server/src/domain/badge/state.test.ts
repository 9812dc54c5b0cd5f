import { describe, expect, it } from 'vitest'
import {
  type BadgeState,
  decideEnvironmentBadge,
  decideFlowBadge,
  decideGateBadge,
  type GateAnswer,
  type WatchedEnvironment,
  type WatchedFlow,
} from './state.ts'

const NOW = new Date('2026-01-01T12:00:00Z')
const PAST = new Date('2026-01-01T11:00:00Z')
const FUTURE = new Date('2026-01-01T13:00:00Z')

const COMPLIANT: WatchedEnvironment = {
  type: 'K8S',
  state: true,
  latest_index: 1,
  stale_at: null,
  partial_since: null,
  policies: ['rules'],
  included_environments: [],
  waiting_since: null,
  is_archived: false,
}

const ENVIRONMENTS: [string, Partial<WatchedEnvironment>, BadgeState][] = [
  ['compliant', {}, 'compliant'],
  ['compliant and reporting', { stale_at: FUTURE }, 'compliant'],
  ['non-compliant', { state: false }, 'non-compliant'],
  ['without policies', { state: null, policies: [] }, 'unknown'],
  ['without reports', { state: null, latest_index: 0 }, 'unknown'],
  ['only partly seen', { state: null, partial_since: PAST }, 'unknown'],
  ['compliant before an evaluation that is overdue', { waiting_since: PAST }, 'unknown'],
  ['compliant when it was last heard of', { stale_at: PAST }, 'stale'],
  ['non-compliant when it was last heard of', { state: false, stale_at: PAST }, 'non-compliant'],
  ['silent without a verdict', { state: null, stale_at: PAST }, 'stale'],
  ['stale from now on', { stale_at: NOW }, 'stale'],
  ['archived while compliant', { is_archived: true }, 'unknown'],
]

const FLOWS: [string, WatchedFlow, BadgeState][] = [
  ['with a compliant trail', { latest_state: 'COMPLIANT', is_archived: false }, 'compliant'],
  ['with a non-compliant trail', { latest_state: 'NON-COMPLIANT', is_archived: false }, 'non-compliant'],
  ['with an incomplete trail', { latest_state: 'INCOMPLETE', is_archived: false }, 'unknown'],
  ['without a trail', { latest_state: null, is_archived: false }, 'unknown'],
  ['that is archived', { latest_state: 'COMPLIANT', is_archived: true }, 'unknown'],
]

const OPEN: GateAnswer = { compliant: true, unknown_because: null }

const GATES: [string, GateAnswer | undefined, BadgeState][] = [
  ['of an artifact that policies allow', OPEN, 'compliant'],
  ['of an artifact that a policy refuses', { ...OPEN, compliant: false }, 'non-compliant'],
  ['of an artifact that nothing checks', { ...OPEN, unknown_because: 'no-policies' }, 'unknown'],
  ['of a stale environment', { ...OPEN, unknown_because: 'stale' }, 'stale'],
  ['of an unknown artifact', undefined, 'unknown'],
]

describe('a badge', () => {
  it.each(ENVIRONMENTS)('of an environment that is %s', (_, environment, expected) => {
    expect(decideEnvironmentBadge({ ...COMPLIANT, ...environment }, NOW)).toBe(expected)
  })
  it.each(FLOWS)('of a flow %s', (_, flow, expected) => {
    expect(decideFlowBadge(flow)).toBe(expected)
  })
  it.each(GATES)('of the gate %s', (_, gate, expected) => {
    expect(decideGateBadge(gate)).toBe(expected)
  })
})

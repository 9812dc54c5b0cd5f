import { describe, expect, it } from 'vitest'
import {
  type BadgeState,
  decideEnvironmentBadge,
  decideFlowBadge,
  decideGateBadge,
  type Gate,
  type WatchedEnvironment,
  type WatchedFlow,
} from './state.ts'

const NOW = new Date('2026-01-01T12:00:00Z')
const PAST = new Date('2026-01-01T11:00:00Z')
const FUTURE = new Date('2026-01-01T13:00:00Z')

const ENVIRONMENTS: [string, WatchedEnvironment, BadgeState][] = [
  ['compliant', { state: true, stale_at: null, is_archived: false }, 'compliant'],
  ['compliant and reporting', { state: true, stale_at: FUTURE, is_archived: false }, 'compliant'],
  ['non-compliant', { state: false, stale_at: null, is_archived: false }, 'non-compliant'],
  ['without a verdict', { state: null, stale_at: null, is_archived: false }, 'unknown'],
  ['compliant when it was last heard of', { state: true, stale_at: PAST, is_archived: false }, 'stale'],
  [
    'non-compliant when it was last heard of',
    { state: false, stale_at: PAST, is_archived: false },
    'non-compliant',
  ],
  ['silent without a verdict', { state: null, stale_at: PAST, is_archived: false }, 'stale'],
  ['stale from now on', { state: true, stale_at: NOW, is_archived: false }, 'stale'],
  ['archived while compliant', { state: true, stale_at: null, is_archived: true }, 'unknown'],
]

const FLOWS: [string, WatchedFlow, BadgeState][] = [
  ['with a compliant trail', { latest_state: 'COMPLIANT', is_archived: false }, 'compliant'],
  ['with a non-compliant trail', { latest_state: 'NON-COMPLIANT', is_archived: false }, 'non-compliant'],
  ['with an incomplete trail', { latest_state: 'INCOMPLETE', is_archived: false }, 'unknown'],
  ['without a trail', { latest_state: null, is_archived: false }, 'unknown'],
  ['that is archived', { latest_state: 'COMPLIANT', is_archived: true }, 'unknown'],
]

const OPEN: Gate = {
  compliant: true,
  has_policies: true,
  is_allow_listed: false,
  environment_is_stale: false,
}

const GATES: [string, Gate | undefined, BadgeState][] = [
  ['of an artifact that policies allow', OPEN, 'compliant'],
  ['of an artifact that a policy refuses', { ...OPEN, compliant: false }, 'non-compliant'],
  ['without policies', { ...OPEN, has_policies: false }, 'unknown'],
  ['of an allow-listed artifact', { ...OPEN, has_policies: false, is_allow_listed: true }, 'compliant'],
  ['of a stale environment', { ...OPEN, environment_is_stale: true }, 'stale'],
  [
    'of a stale environment that refuses',
    { ...OPEN, compliant: false, environment_is_stale: true },
    'non-compliant',
  ],
  ['of an unknown artifact', undefined, 'unknown'],
]

describe('a badge', () => {
  it.each(ENVIRONMENTS)('of an environment that is %s', (_, environment, expected) => {
    expect(decideEnvironmentBadge(environment, NOW)).toBe(expected)
  })
  it.each(FLOWS)('of a flow %s', (_, flow, expected) => {
    expect(decideFlowBadge(flow)).toBe(expected)
  })
  it.each(GATES)('of the gate %s', (_, gate, expected) => {
    expect(decideGateBadge(gate)).toBe(expected)
  })
})

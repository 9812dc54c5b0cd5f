import { describe, expect, it } from 'vitest'
import {
  describeVerdict,
  explainUnknown,
  findGateUnknownCause,
  findUnknownCause,
  findUnknownCauseOf,
  type Gate,
  UNKNOWN_CAUSES,
  type UnknownCause,
  type UnknownFacts,
} from './unknown.ts'

const KNOWN: UnknownFacts = {
  verdict: true,
  has_reported: true,
  is_stale: false,
  has_policies: true,
  is_partial: false,
  is_overdue: false,
  member_count: null,
}
const LOGICAL = { member_count: 2, has_policies: false }

describe('it is not known whether an environment is compliant', () => {
  it.each<[string, Partial<UnknownFacts>, UnknownCause | null]>([
    ['that meets its policies', {}, null],
    ['in which something violates them', { verdict: false }, null],
    ['without policies', { verdict: null, has_policies: false }, 'no-policies'],
    [
      'without policies and reports',
      { verdict: null, has_policies: false, has_reported: false },
      'never-reported',
    ],
    ['without reports', { verdict: null, has_reported: false }, 'never-reported'],
    ['that is stale', { is_stale: true }, 'stale'],
    ['that is stale, without policies', { verdict: null, is_stale: true, has_policies: false }, 'stale'],
    ['that is only partly seen', { verdict: null, is_partial: true }, 'partial'],
    [
      'that is only partly seen, without policies',
      { verdict: null, is_partial: true, has_policies: false },
      'no-policies',
    ],
    ['whose evaluation is overdue', { is_overdue: true }, 'not-evaluated'],
    ['without a verdict although it has policies', { verdict: null }, 'not-evaluated'],
    ['that combines compliant ones', LOGICAL, null],
    [
      'that combines nothing',
      { ...LOGICAL, verdict: null, member_count: 0, has_reported: false },
      'no-members',
    ],
    ['that combines one that is unknown', { ...LOGICAL, verdict: null }, 'unknown-member'],
    ['that combines one that is stale', { ...LOGICAL, is_stale: true }, 'stale'],
    [
      'that combines one that is only partly seen',
      { ...LOGICAL, verdict: null, is_partial: true },
      'partial',
    ],
  ])('%s', (_, facts, expected) => {
    expect(findUnknownCause({ ...KNOWN, ...facts })).toBe(expected)
  })

  it.each(['is_stale', 'is_partial', 'is_overdue'] as const)('but a violation stays one if %s', fact => {
    expect(findUnknownCause({ ...KNOWN, verdict: false, [fact]: true })).toBeNull()
  })

  it('by what is stored', () => {
    const now = new Date('2026-01-01T12:00:00Z')
    const stored = {
      type: 'K8S',
      state: true,
      latest_index: 3,
      stale_at: null,
      partial_since: null,
      policies: ['rules'],
      included_environments: [],
      waiting_since: null,
    }
    expect(findUnknownCauseOf(stored, now)).toBeNull()
    expect(findUnknownCauseOf({ ...stored, stale_at: now }, now)).toBe('stale')
    expect(findUnknownCauseOf({ ...stored, latest_index: 0 }, now)).toBe('never-reported')
    const waiting_since = new Date(now.getTime() - 61_000)
    expect(findUnknownCauseOf({ ...stored, waiting_since }, now)).toBe('not-evaluated')
    expect(findUnknownCauseOf({ ...stored, type: 'logical' }, now)).toBe('no-members')
  })
})

describe('it is not known whether an artifact is compliant', () => {
  const OPEN: Gate = { compliant: true, is_checked: true, environment_is_stale: false }
  it.each<[string, Partial<Gate>, UnknownCause | null]>([
    ['that policies allow', {}, null],
    ['that they refuse', { compliant: false }, null],
    ['that nothing checks', { is_checked: false }, 'no-policies'],
    [
      'that nothing checks, in a stale environment',
      { is_checked: false, environment_is_stale: true },
      'no-policies',
    ],
    ['in a stale environment', { environment_is_stale: true }, 'stale'],
    ['that they refuse in a stale environment', { compliant: false, environment_is_stale: true }, null],
  ])('%s', (_, gate, expected) => {
    expect(findGateUnknownCause({ ...OPEN, ...gate })).toBe(expected)
  })
})

it('every cause has words of its own', () => {
  const words = UNKNOWN_CAUSES.map(cause => describeVerdict(true, cause))
  expect(new Set(words).size).toBe(UNKNOWN_CAUSES.length)
  expect(words).toContain('UNKNOWN: no policy is attached, so nothing was checked')
  expect([true, false, null].map(verdict => describeVerdict(verdict, null))).toEqual([
    'COMPLIANT',
    'NON-COMPLIANT',
    'UNKNOWN',
  ])
  expect(explainUnknown('a cause of a later version')).toBe('the service does not say why')
})

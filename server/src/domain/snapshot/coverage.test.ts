import { describe, expect, it } from 'vitest'
import { computeShare, countCoverage, type EnvironmentAt } from './coverage.ts'

/** Two compliant artifacts, one that is not and one unknown; three of the four have provenance. */
const MIXED: EnvironmentAt = {
  compliant: false,
  compliant_count: 2,
  non_compliant_count: 1,
  unknown_count: 1,
  has_policies: true,
  is_partial: false,
  is_stale: false,
  with_provenance: 3,
}
const GREEN: EnvironmentAt = {
  ...MIXED,
  compliant: true,
  non_compliant_count: 0,
  unknown_count: 0,
  with_provenance: 2,
}
const FREE: EnvironmentAt = {
  ...MIXED,
  compliant: null,
  compliant_count: 0,
  non_compliant_count: 0,
  unknown_count: 4,
  has_policies: false,
}

describe('the coverage of artifacts', () => {
  // Compliant, non-compliant, unknown, without a policy; with provenance, without it, unknown.
  it.each<[string, EnvironmentAt, number[], number[]]>([
    ['a mixed environment', MIXED, [2, 1, 1, 0], [3, 1, 0]],
    ['a compliant one', GREEN, [2, 0, 0, 0], [2, 0, 0]],
    ['one without policies', FREE, [0, 0, 0, 4], [3, 1, 0]],
    ['a stale one', { ...MIXED, is_stale: true }, [0, 1, 3, 0], [0, 1, 3]],
    ['one that may be stale', { ...MIXED, is_stale: null }, [0, 1, 3, 0], [0, 1, 3]],
    ['a partial view', { ...MIXED, is_partial: true }, [0, 1, 3, 0], [0, 1, 3]],
    ['a stale one without policies', { ...FREE, is_stale: true }, [0, 0, 0, 4], [0, 1, 3]],
    ['an empty one', { ...GREEN, compliant_count: 0, with_provenance: 0 }, [0, 0, 0, 0], [0, 0, 0]],
  ])('in %s', (_, environment, verdicts, provenance) => {
    const found = countCoverage([environment])
    expect(found?.artifacts).toEqual({
      total: verdicts.reduce((sum, each) => sum + each, 0),
      compliant: verdicts[0],
      non_compliant: verdicts[1],
      unknown: verdicts[2],
      without_policy: verdicts[3],
    })
    expect(found?.provenance).toEqual({
      with_provenance: provenance[0],
      without_provenance: provenance[1],
      unknown: provenance[2],
    })
  })

  it('adds up environments', () => {
    expect(countCoverage([MIXED, GREEN])?.artifacts).toMatchObject({ total: 6, compliant: 4 })
    expect(countCoverage([MIXED, GREEN])?.provenance).toMatchObject({ with_provenance: 5 })
  })

  it('is null before the first report', () => expect(countCoverage([])).toBeNull())
})

describe('the states of environments', () => {
  it.each<[string, Partial<EnvironmentAt>]>([
    ['compliant', { compliant: true }],
    ['non_compliant', { compliant: false }],
    ['unknown', { compliant: null }],
    ['stale', { compliant: true, is_stale: true }],
    ['stale', { compliant: null, is_stale: true }],
    ['non_compliant', { compliant: false, is_stale: true }],
    ['unknown', { compliant: true, is_stale: null }],
  ])('%s: %j', (state, environment) => {
    expect(countCoverage([{ ...GREEN, ...environment }])?.environments).toEqual({
      ...{ compliant: 0, non_compliant: 0, stale: 0, unknown: 0 },
      [state]: 1,
    })
  })
})

describe('a share', () => {
  it.each([
    [0, 0, null],
    [0, 4, 0],
    [3, 4, 0.75],
  ])('%i of %i is %s', (part, all, share) => expect(computeShare(part, all)).toBe(share))
})

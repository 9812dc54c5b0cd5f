// Which cause a snapshot names, and which expired decisions.
import { describe, expect, it } from 'vitest'
import type { Resolution } from '../policy/decision.ts'
import { listExpiredDecisions, MAX_EXPIRED_DECISIONS, pickCause } from './cause.ts'

describe('pickCause', () => {
  it.each([
    [['evidence'], 'evidence'],
    [['expired-decision'], 'expired-decision'],
    [['evidence', 'expired-decision'], 'expired-decision'],
    [['expired-decision', 'evidence', 'policies'], 'policies'],
    [['evidence', 'allow-list'], 'allow-list'],
    [[], 'evidence'],
  ])('of %j is %s', (causes, expected) => {
    expect(pickCause(causes)).toBe(expected)
  })
})

const resolve = (type: Resolution['type'], attestation_ids: string[], expires_at: number) => ({
  type,
  context: {
    flow_name: 'build',
    trail_name: 'run',
    artifact_status: null,
    for_control: 'RISK',
    attestation_ids,
    expires_at,
  },
})
const evaluate = (...resolutions: Resolution[]) => ({
  decisions: [{ policy_name: 'p', rules: [{ satisfied: false, ignored: false, resolutions }] }],
  reasons: [],
})

describe('listExpiredDecisions', () => {
  it('names each decision once, the first to expire first, and nothing but expired ones', () => {
    const listed = listExpiredDecisions([
      evaluate(resolve('expired_decision', ['b'], 2), resolve('rule_satisfied', ['c'], 3)),
      evaluate(resolve('expired_decision', ['b'], 2), resolve('expired_decision', ['a'], 1)),
      evaluate(resolve('non_compliant_attestation', ['d'], 1)),
    ])
    expect(listed.map(({ decision_id }) => decision_id)).toEqual(['a', 'b'])
    expect(listed[0]).toEqual({
      decision_id: 'a',
      attestation_name: null,
      control: 'RISK',
      flow_name: 'build',
      trail_name: 'run',
      expires_at: 1,
    })
  })

  it('is bounded', () => {
    const many = Array.from({ length: 50 }, (_, i) => evaluate(resolve('expired_decision', [`id-${i}`], i)))
    expect(listExpiredDecisions(many)).toHaveLength(MAX_EXPIRED_DECISIONS)
  })
})

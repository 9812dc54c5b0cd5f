import { describe, expect, it } from 'vitest'
import {
  combineVerdicts,
  computeEnvironmentState,
  computeLogicalState,
  limitToView,
  type Verdict,
} from './compliance.ts'

// verdicts, combined, of an environment with policies
const table: [Verdict[], Verdict, Verdict][] = [
  [[], null, true],
  [[true], true, true],
  [[false], false, false],
  [[null], null, null],
  [[true, true], true, true],
  [[true, false], false, false],
  [[true, null], null, null],
  [[null, false], false, false],
  [[false, null, true], false, false],
]

describe.each(table)('%j', (verdicts, combined, ofEnvironment) => {
  it('combined', () => expect(combineVerdicts(verdicts)).toBe(combined))
  it('as members of a logical environment', () => expect(computeLogicalState(verdicts)).toBe(combined))
  it('in an environment with policies', () =>
    expect(computeEnvironmentState(verdicts, true)).toBe(ofEnvironment))
  it('in an environment without', () => expect(computeEnvironmentState(verdicts, false)).toBeNull())
})

it.each<[Verdict, boolean, Verdict]>([
  [true, false, true],
  [true, true, null],
  [false, true, false],
  [null, true, null],
  [false, false, false],
  [null, false, null],
])('%j in a view that is partial: %j, is %j', (verdict, is_partial, expected) =>
  expect(limitToView(verdict, is_partial)).toBe(expected),
)

import { describe, expect, it } from 'vitest'
import { computeFailureRate } from './change-failure.ts'

describe('the change failure rate', () => {
  it.each([
    [{ deployments: 0, failed: 0, unknown: 0 }, null],
    [{ deployments: 3, failed: 0, unknown: 3 }, null],
    [{ deployments: 4, failed: 0, unknown: 0 }, 0],
    [{ deployments: 4, failed: 1, unknown: 0 }, 0.25],
    [{ deployments: 4, failed: 1, unknown: 2 }, 0.5],
    [{ deployments: 2, failed: 2, unknown: 0 }, 1],
  ])('of %j is %s', (outcomes, expected) => {
    expect(computeFailureRate(outcomes)).toBe(expected)
  })
})

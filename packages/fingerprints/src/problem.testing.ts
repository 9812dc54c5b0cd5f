// Expects that fingerprinting fails, for the right reason.
import { expect } from 'vitest'
import { FingerprintProblem, type Reason } from './problem.ts'

/** Returns the problem for more expectations. */
export async function expectProblem(
  work: Promise<unknown>,
  reason: Reason,
  message: RegExp | string,
): Promise<FingerprintProblem> {
  const problem: unknown = await work.then(
    result => new Error(`expected a problem, not ${JSON.stringify(result)}`),
    error => error,
  )
  if (!(problem instanceof FingerprintProblem)) throw problem
  expect(problem.message).toMatch(message)
  expect(problem.reason).toBe(reason)
  return problem
}

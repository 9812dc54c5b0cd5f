import { expect, it } from 'vitest'
import { findOrgLimitProblem } from './org-creation.ts'

const LIMIT = { orgs_per_person: 5, org_openers: ['ada'] }

it.each<[string, typeof LIMIT | { orgs_per_person: null; org_openers: [] }, string, number, boolean]>([
  ['the last one that the limit allows', LIMIT, 'bob', 5, true],
  ['one more', LIMIT, 'bob', 6, false],
  ['one more of many, after the limit was lowered', LIMIT, 'bob', 9, false],
  ['any number for whom the operator names', LIMIT, 'ada', 40, true],
  ['another user whose name differs in case', LIMIT, 'Ada', 40, false],
  ['any number without a limit', { orgs_per_person: null, org_openers: [] }, 'bob', 40, true],
])('%s', (_what, limit, name, opened, isAllowed) => {
  const problem = findOrgLimitProblem(limit, { name, opened })
  expect(problem === undefined).toBe(isAllowed)
  if (!isAllowed) expect(problem).toMatch(/at most 5 .* Ask the operator/)
})

import { describe, expect, it } from 'vitest'
import { CI_FAMILIES, findScopeProblem, type KeyScope, type ScopedRequest, WHOLE_SCOPE } from './key-scope.ts'

const REQUEST: ScopedRequest = { family: 'read', flow_id: undefined, environment_id: undefined }

describe('a key', () => {
  it.each<[string, Partial<KeyScope>, Partial<ScopedRequest>, boolean]>([
    ['without limits', {}, { family: 'administer' }, true],
    ['of a CI job that attests', { operations: CI_FAMILIES }, { family: 'attest' }, true],
    ['of a CI job that administers', { operations: CI_FAMILIES }, { family: 'administer' }, false],
    ['for nothing', { operations: [] }, {}, false],
    ['for a flow, in it', { flow_ids: ['f'] }, { flow_id: 'f' }, true],
    ['for a flow, in another', { flow_ids: ['f'] }, { flow_id: 'g' }, false],
    ['for a flow, at an address without one', { flow_ids: ['f'] }, {}, false],
    ['for a flow, in an environment', { flow_ids: ['f'] }, { environment_id: 'f' }, false],
    ['for an environment, in it', { environment_ids: ['e'] }, { environment_id: 'e' }, true],
    ['for both, in the flow', { flow_ids: ['f'], environment_ids: ['e'] }, { flow_id: 'f' }, true],
    ['for no flow at all', { flow_ids: [] }, { flow_id: 'f' }, false],
    [
      'for a flow and reading, attesting',
      { operations: ['read'], flow_ids: ['f'] },
      { family: 'attest', flow_id: 'f' },
      false,
    ],
  ])('%s', (_what, scope, request, isAllowed) => {
    const problem = findScopeProblem({ ...WHOLE_SCOPE, ...scope }, { ...REQUEST, ...request })
    expect(problem === undefined).toBe(isAllowed)
  })
})

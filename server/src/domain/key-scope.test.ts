import { describe, expect, it } from 'vitest'
import {
  CI_FAMILIES,
  findNamedProblem,
  findScopeProblem,
  isWhole,
  type KeyScope,
  type NamedObject,
  WHOLE_SCOPE,
} from './key-scope.ts'

/** `flow f` is the flow with the id `f`; `flow ?` is none. */
function parseNamed(texts: readonly string[]): NamedObject[] {
  return texts.map(text => {
    const [kind, id] = text.split(' ')
    return { kind: kind as NamedObject['kind'], name: `the ${id}`, id: id === '?' ? undefined : id }
  })
}

const FLOW: Partial<KeyScope> = { flow_ids: ['f'] }
const ENVIRONMENT: Partial<KeyScope> = { environment_ids: ['e'] }
const BOTH = { ...FLOW, ...ENVIRONMENT }

describe('a key', () => {
  it.each<[string, Partial<KeyScope>, family: 'read' | 'attest' | 'administer', path: string[], boolean]>([
    ['without limits', {}, 'administer', ['flow g'], true],
    ['of a CI job that attests', { operations: CI_FAMILIES }, 'attest', [], true],
    ['of a CI job that administers', { operations: CI_FAMILIES }, 'administer', [], false],
    ['for nothing', { operations: [] }, 'read', [], false],
    ['for a flow, in it', FLOW, 'read', ['flow f'], true],
    ['for a flow, in another', FLOW, 'read', ['flow g'], false],
    ['for a flow, in none of that name', FLOW, 'read', ['flow ?'], false],
    ['for a flow, at an address without one', FLOW, 'read', [], false],
    ['for a flow, in an environment', FLOW, 'read', ['environment f'], false],
    ['for an environment, in it', ENVIRONMENT, 'read', ['environment e'], true],
    ['for both, in the flow', BOTH, 'read', ['flow f'], true],
    ['for both, in the flow and the environment', BOTH, 'read', ['flow f', 'environment e'], true],
    ['for both, in the flow and another environment', BOTH, 'read', ['flow f', 'environment d'], false],
    ['for a flow, in it and any environment', FLOW, 'read', ['flow f', 'environment d'], true],
    ['for no flow at all', { flow_ids: [] }, 'read', ['flow f'], false],
    ['for a flow and reading, attesting', { operations: ['read'], ...FLOW }, 'attest', ['flow f'], false],
  ])('%s', (_what, scope, family, path, isAllowed) => {
    const problem = findScopeProblem({ ...WHOLE_SCOPE, ...scope }, { family, path: parseNamed(path) })
    expect(problem === undefined).toBe(isAllowed)
  })
})

describe('the fields of a request', () => {
  const certain = (places: string) => `This key is limited to certain ${places}, and`
  it.each<[Partial<KeyScope>, named: string[], string | undefined]>([
    [{}, ['flow g', 'environment d', 'policy p'], undefined],
    [{ operations: ['read'] }, ['flow g', 'policy p'], undefined],
    [BOTH, [], undefined],
    [BOTH, ['flow f', 'environment e'], undefined],
    [
      BOTH,
      ['flow f', 'environment d'],
      `${certain('flows and environments')} the request also names the environment 'the d'`,
    ],
    [
      ENVIRONMENT,
      ['environment e', 'environment ?'],
      `${certain('environments')} the request also names the environment 'the ?'`,
    ],
    [ENVIRONMENT, ['flow g'], undefined],
    [FLOW, ['flow g'], `${certain('flows')} the request also names the flow 'the g'`],
    [ENVIRONMENT, ['policy p'], `${certain('environments')} policies belong to the whole organization`],
  ])('for %j may name %j: %s', (scope, named, problem) => {
    expect(findNamedProblem({ ...WHOLE_SCOPE, ...scope }, parseNamed(named))).toBe(problem)
  })
})

describe('a whole key', () => {
  it.each<[Partial<KeyScope>, boolean]>([
    [{}, true],
    [{ operations: ['read', 'report', 'attest', 'administer'] }, false],
    [FLOW, false],
    [ENVIRONMENT, false],
  ])('is %j: %j', (scope, whole) => {
    expect(isWhole({ ...WHOLE_SCOPE, ...scope })).toBe(whole)
  })
})

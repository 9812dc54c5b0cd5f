import { describe, expect, it } from 'vitest'
import { findRepositoryClaim, listClaimProblems } from './rule.ts'

const PIN = { repository_id: '74' }
const NOT_PINNED = 'A rule must pin the repository by its number: repository_id or project_id'

describe('a rule may require', () => {
  it.each([
    [{ repository_id: '74' }],
    [{ project_id: '22' }],
    [{ ...PIN, ref: 'refs/heads/main' }],
    [{ ...PIN, ref: 'refs/heads/*' }],
    [{ ...PIN, sub: 'repo:acme/*', environment: 'prod-*', workflow_ref: 'acme/backend/*' }],
    [{ ...PIN, ref_path: 'refs/*', job_workflow_ref: 'a/*', ci_config_ref_uri: 'gitlab.example/*' }],
    [{ ...PIN, actor: 'ada' }],
  ])('%j', claims => expect(listClaimProblems(claims)).toEqual([]))
})

describe('a rule must not require', () => {
  it.each<[Record<string, string>, string | undefined, string]>([
    [{}, undefined, NOT_PINNED],
    [{ repository: 'acme/backend', sub: 'repo:acme/backend:*' }, undefined, NOT_PINNED],
    [{ repository_id: '7*' }, 'repository_id', 'Input should be the number of the repository'],
    [{ project_id: 'acme/backend' }, 'project_id', 'Input should be the number of the repository'],
    [{ ...PIN, project_id: '' }, 'project_id', 'Input should be the number of the repository'],
    [{ ...PIN, aud: 'x' }, 'aud', 'This claim is always checked and cannot be part of a rule'],
    [{ ...PIN, ref: 'refs/*/main' }, 'ref', 'A wildcard is allowed only at the end'],
    [{ ...PIN, ref: 'refs/**' }, 'ref', 'A wildcard is allowed only at the end'],
    [{ ...PIN, ref: '*' }, 'ref', 'A wildcard needs something before it; omit the claim to accept any value'],
    [
      { ...PIN, repository: 'acme/*' },
      'repository',
      'A wildcard is allowed only in sub, ref, ref_path, environment, workflow_ref, job_workflow_ref, ci_config_ref_uri',
    ],
  ])('%j', (claims, claim, sentence) =>
    expect(listClaimProblems(claims)).toEqual([claim === undefined ? { sentence } : { claim, sentence }]),
  )

  it('several invalid claims, and lists them all', () =>
    expect(listClaimProblems({ iss: 'x', actor: 'a*' })).toHaveLength(3))
})

it('is known by the claim that pins the repository', () => {
  expect(findRepositoryClaim({ ref: 'x', project_id: '1' })).toBe('project_id')
  expect(findRepositoryClaim({ ref: 'x' })).toBeUndefined()
})

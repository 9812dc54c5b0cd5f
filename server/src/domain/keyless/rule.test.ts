import { describe, expect, it } from 'vitest'
import type { IssuerKindId } from './issuer-kinds.ts'
import { findKind, findPin, listRuleProblems } from './rule.ts'

const PIN = { repository_id: '74' }
const UUID = '0184990a-477b-4fa8-9968-496074483cee'
const SUB = 'https://jenkins.example/job/backend/'
const ISSUER = 'https://ci.example'

const list = (claims: Record<string, string>, issuer_kind?: IssuerKindId) =>
  listRuleProblems({ issuer: ISSUER, claims, issuer_kind, audience: 'x' })

describe('a rule may require', () => {
  it.each([
    [{ repository_id: '74' }],
    [{ project_id: '22' }],
    [{ ...PIN, ref: 'refs/heads/main' }],
    [{ ...PIN, ref: 'refs/heads/*' }],
    [{ ...PIN, sub: 'repo:acme/*', environment: 'prod-*', workflow_ref: 'acme/backend/*' }],
    [{ ...PIN, ref_path: 'refs/*', job_workflow_ref: 'a/*', ci_config_ref_uri: 'gitlab.example/*' }],
    [{ ...PIN, actor: 'ada' }],
    [{ project_id: '22', pipeline_id: '8' }],
  ])('%j', claims => expect(list(claims)).toEqual({}))
})

describe('a rule must not require', () => {
  it.each<[Record<string, string>, string, string]>([
    [{ repository_id: '7*' }, 'claims.repository_id', 'Input should be the number of the repository'],
    [{ project_id: 'acme/backend' }, 'claims.project_id', 'Input should be the number of the repository'],
    [{ ...PIN, project_id: '' }, 'claims.project_id', 'Input should be the number of the repository'],
    [{ repository_id: '٧٤' }, 'claims.repository_id', 'Input should be the number of the repository'],
    [{ repository_id: '74\n' }, 'claims.repository_id', 'Input should be the number of the repository'],
    [{ ...PIN, aud: 'x' }, 'claims.aud', 'This claim is always checked and cannot be part of a rule'],
    [{ ...PIN, ref: 'refs/*/main' }, 'claims.ref', 'A wildcard is allowed only at the end'],
    [{ ...PIN, ref: 'refs/**' }, 'claims.ref', 'A wildcard is allowed only at the end'],
    [
      { ...PIN, ref: '*' },
      'claims.ref',
      'A wildcard needs something before it; omit the claim to accept any value',
    ],
    [
      { ...PIN, repository: 'acme/*' },
      'claims.repository',
      'A wildcard is allowed only in sub, ref, ref_path, environment, workflow_ref, job_workflow_ref, ci_config_ref_uri, build_branch, build_tag, oidc.circleci.com/vcs-ref',
    ],
  ])('%j', (claims, field, sentence) => expect(list(claims)).toEqual({ [field]: sentence }))

  it('several invalid claims, and lists them all', () =>
    expect(Object.keys(list({ iss: 'x', actor: 'a*' }, 'github'))).toEqual([
      'claims',
      'claims.iss',
      'claims.actor',
    ]))
})

describe('the pin of', () => {
  it.each<[IssuerKindId, string, string]>([
    ['github', 'repository_id', '74'],
    ['gitlab', 'project_id', '22'],
    ['circleci', 'oidc.circleci.com/project-id', UUID],
    ['bitbucket', 'repositoryUuid', `{${UUID}}`],
    ['buildkite', 'pipeline_id', UUID],
    ['azure', 'sub', 'sc://acme/Big Project/to-waybill'],
    ['azure', 'sub', `/eid1/c/pub/t/kYGhnyoaDxUMlMdOjBQZRw/a/9ExAW52n_ky4ZiS_jhpJIQ/sc/${UUID}/${UUID}`],
    ['jenkins', 'sub', SUB],
    ['kubernetes', 'sub', 'system:serviceaccount:waybill:reporter'],
    ['kubernetes', 'sub', 'system:serviceaccount:team-a:build.robot-2'],
    ['generic', 'sub', 'robot 7 of the büro'],
  ])('%s can be %s: %s', (issuer_kind, pin, value) => {
    expect(list({ [pin]: value }, issuer_kind)).toEqual({})
    expect(findPin({ issuer: ISSUER, issuer_kind, claims: { [pin]: value } })).toBe(pin)
    const { claims } = list({ actor: 'ada' }, issuer_kind)
    expect(claims).toMatch(new RegExp(`^A rule for .* must pin one by the claim ${pin}$`))
  })

  it.each<[IssuerKindId, string, string]>([
    ['circleci', 'oidc.circleci.com/project-id', UUID.toUpperCase()],
    ['circleci', 'oidc.circleci.com/project-id', `${UUID} `],
    ['circleci', 'oidc.circleci.com/project-id', '74'],
    ['bitbucket', 'repositoryUuid', UUID],
    ['bitbucket', 'repositoryUuid', `{${UUID}`],
    ['bitbucket', 'repositoryUuid', `{${UUID}}\n`],
    ['buildkite', 'pipeline_id', '8'],
    ['buildkite', 'pipeline_id', `${UUID.slice(0, -1)}*`],
    ['azure', 'sub', 'sc://acme/project'],
    ['azure', 'sub', 'sc://acme/project/*'],
    ['azure', 'sub', 'sc://acme/project/a\u200bb'],
    ['azure', 'sub', 'sc://acme/project/connection '],
    ['azure', 'sub', 'sc://acme/ project/connection'],
    ['azure', 'sub', 'sc://acme/project/a\u00a0b'],
    ['azure', 'sub', 'sc://acme/project/a/b'],
    ['azure', 'sub', '/eid1/c/pub/t/x/a/y/sc/*'],
    ['jenkins', 'sub', `${SUB}*`],
    ['jenkins', 'sub', ` ${SUB}`],
    ['jenkins', 'sub', `${SUB} `],
    ['jenkins', 'sub', `${SUB}\u00a0`],
    ['jenkins', 'sub', `${SUB}\u202e`],
    ['jenkins', 'sub', `${SUB}\u200b`],
    ['jenkins', 'sub', `${SUB}\ufeff`],
    ['jenkins', 'sub', 'a  b'],
    ['jenkins', 'sub', 'a\tb'],
    ['kubernetes', 'sub', 'system:serviceaccount:waybill:*'],
    ['kubernetes', 'sub', 'system:serviceaccount:waybill'],
    ['kubernetes', 'sub', 'system:serviceaccount:waybill:'],
    ['kubernetes', 'sub', 'system:serviceaccount:way:bill:reporter'],
    ['kubernetes', 'sub', 'system:serviceaccount:Waybill:reporter'],
    ['kubernetes', 'sub', 'system:serviceaccount:wаybill:reporter'],
    ['kubernetes', 'sub', 'system:serviceaccount:waybill:reporter '],
    ['kubernetes', 'sub', `system:serviceaccount:${'n'.repeat(64)}:reporter`],
    ['generic', 'sub', '*'],
    ['generic', 'sub', 'robot-*'],
    ['generic', 'sub', 'ro*bot'],
    ['generic', 'sub', 'robot\0'],
    ['generic', 'sub', 'robot\u2028'],
    ['generic', 'sub', 'robot\ud800'],
  ])('%s cannot be %s: %j', (issuer_kind, pin, value) =>
    expect(list({ [pin]: value }, issuer_kind)).toEqual({
      [`claims.${pin}`]: expect.stringMatching(/^Input should be /),
    }),
  )
})

describe('the kind', () => {
  const GITHUB = 'https://token.actions.githubusercontent.com'

  it.each<[string, string, string | undefined]>([
    [GITHUB, 'sub', 'github'],
    [`${GITHUB}/acme`, 'sub', 'github'],
    ['https://gitlab.com', 'sub', 'gitlab'],
    [`https://oidc.circleci.com/org/${UUID}`, 'sub', 'circleci'],
    ['https://api.bitbucket.org/2.0/workspaces/acme/pipelines-config/identity/oidc', 'sub', 'bitbucket'],
    ['https://agent.buildkite.com', 'sub', 'buildkite'],
    [`https://vstoken.dev.azure.com/${UUID}`, 'sub', 'azure'],
    ['https://gitlab.example', 'project_id', 'gitlab'],
    ['https://gitlab.com', 'repository_id', 'github'],
    ['https://gitlab.example', 'sub', undefined],
    ['https://gitlab.com.example', 'sub', undefined],
  ])('of a rule for %s with %s that names none is %s', (issuer, claim, kind) =>
    expect(findKind({ issuer, issuer_kind: null, claims: { [claim]: 'x' } })).toBe(kind),
  )

  it('must be named if neither the claims nor the address say it', () =>
    expect(list({ sub: SUB })).toEqual({
      issuer_kind:
        'Say what kind of issuer this is: github, gitlab, circleci, bitbucket, buildkite, azure, jenkins, kubernetes, generic',
    }))

  it.each<IssuerKindId>(['generic', 'jenkins', 'kubernetes', 'gitlab'])(
    'cannot be %s for an issuer that is known to be another',
    issuer_kind => {
      const claims = { sub: 'system:serviceaccount:a:b', project_id: '1' }
      expect(listRuleProblems({ issuer: GITHUB, issuer_kind, claims })).toEqual({
        issuer_kind: 'The issuer is of the kind github',
      })
    },
  )

  it.each<[IssuerKindId, Record<string, string>, string]>([
    ['circleci', { 'oidc.circleci.com/project-id': UUID }, 'CircleCI'],
    ['bitbucket', { repositoryUuid: `{${UUID}}` }, 'Bitbucket Pipelines'],
    ['azure', { sub: 'sc://a/b/c' }, 'Azure Pipelines'],
  ])('%s has no default audience', (issuer_kind, claims, name) =>
    expect(listRuleProblems({ issuer: ISSUER, issuer_kind, claims })).toEqual({
      audience: `${name} chooses the audience of its tokens: name it`,
    }),
  )

  it('that a later version stored pins nothing', () =>
    expect(findPin({ issuer: ISSUER, issuer_kind: 'tekton', claims: PIN })).toBeUndefined())
})

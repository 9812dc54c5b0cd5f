// Every kind of issuer, with tokens as it issues them: the rule's job gets a key, and every other job gets none.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CiIssuer, signToken, startIssuer } from '../../../test/ci-issuer.ts'
import { BASE_URL, startTestApp, type TestApp } from '../../../test/harness.ts'
import type { IssuerKindId } from '../../domain/keyless/issuer-kinds.ts'

const REFUSED = { message: 'The token is not accepted' }
const [ONE, OTHER] = ['0184990a-477b-4fa8-9968-496074483cee', '7b1f5f0e-3c5d-4a53-9d0b-0d5a3f6f2c11']
const DEFAULT_AUDIENCE = `${BASE_URL}/acme`

interface Example {
  kind: IssuerKindId
  /** The claims of a job, besides the times. */
  job: Record<string, unknown>
  audience?: string
  pin: [claim: string, other: unknown]
}

/** Claims that `signToken` adds for another kind of issuer. */
const NOTHING = { repository: undefined, repository_id: undefined, ref: undefined, workflow_ref: undefined }

const EXAMPLES: Example[] = [
  {
    kind: 'github',
    job: { sub: 'repo:acme/backend:ref:refs/heads/main', repository_id: '74', ref: 'refs/heads/main' },
    pin: ['repository_id', '75'],
  },
  {
    kind: 'gitlab',
    job: { sub: 'project_path:acme/backend:ref_type:branch:ref:main', project_id: '22', ref: 'main' },
    pin: ['project_id', '23'],
  },
  {
    kind: 'circleci',
    job: {
      sub: `org/${OTHER}/project/${ONE}/user/${OTHER}/vcs-origin/github.com/acme/backend/vcs-ref/refs/heads/main`,
      'oidc.circleci.com/project-id': ONE,
      'oidc.circleci.com/vcs-ref': 'refs/heads/main',
    },
    audience: OTHER,
    pin: ['oidc.circleci.com/project-id', OTHER],
  },
  {
    kind: 'bitbucket',
    job: {
      sub: `{${ONE}}:{${OTHER}}`,
      repositoryUuid: `{${ONE}}`,
      branchName: 'main',
      stepUuid: `{${OTHER}}`,
    },
    audience: `ari:cloud:bitbucket::workspace/${OTHER}`,
    pin: ['repositoryUuid', `{${OTHER}}`],
  },
  {
    kind: 'buildkite',
    job: {
      sub: 'organization:acme:pipeline:backend:ref:refs/heads/main:commit:9f31:step:build',
      pipeline_id: ONE,
      pipeline_slug: 'backend',
      build_branch: 'main',
    },
    pin: ['pipeline_id', OTHER],
  },
  {
    kind: 'azure',
    job: { sub: 'sc://acme/Backend/to-waybill' },
    audience: 'api://AzureADTokenExchange',
    pin: ['sub', 'sc://acme/Backend/to-elsewhere'],
  },
  {
    kind: 'jenkins',
    job: { sub: 'https://jenkins.example/job/backend/', build_number: 7 },
    pin: ['sub', 'https://jenkins.example/job/backend/job/other/'],
  },
  {
    kind: 'kubernetes',
    job: {
      sub: 'system:serviceaccount:waybill:reporter',
      'kubernetes.io': { namespace: 'waybill', serviceaccount: { name: 'reporter' } },
    },
    pin: ['sub', 'system:serviceaccount:waybill:reporter-2'],
  },
  { kind: 'generic', job: { sub: 'robot 7' }, pin: ['sub', 'robot 77'] },
]

let app: TestApp
const issuers = new Map<string, CiIssuer>()
beforeAll(async () => {
  for (const { kind } of EXAMPLES) issuers.set(kind, await startIssuer())
  const urls = [...issuers.values()].map(({ url }) => url)
  app = await startTestApp({ settings: { WAYBILL_CI_ISSUERS: urls.join(',') } })
  for (const example of EXAMPLES) await createRule(example)
})
afterAll(async () => {
  await app.stop()
  for (const issuer of issuers.values()) await issuer.stop()
})

const getIssuer = (kind: string): CiIssuer => {
  const issuer = issuers.get(kind)
  if (!issuer) throw new Error(`no issuer for ${kind}`)
  return issuer
}

async function createRule({ kind, job, audience, pin: [pin] }: Example) {
  const rule = { name: kind, issuer_kind: kind, issuer: getIssuer(kind).url, privilege: 'member', audience }
  const made = await app.admin.post('/trust-rules/acme', { ...rule, claims: { [pin]: job[pin] } })
  expect([made.status, made.body.issuer_kind]).toEqual([201, kind])
}

const sign = ({ kind, job, audience = DEFAULT_AUDIENCE }: Example, changes: Record<string, unknown> = {}) =>
  signToken(app, getIssuer(kind), { ...NOTHING, aud: audience, ...job, ...changes })
const exchange = (token: string, org = 'acme') => app.anonymous.post(`/keyless/${org}/exchange`, { token })
const expectRefusal = async (token: string, org?: string) => {
  const { status, body } = await exchange(token, org)
  expect([status, body]).toEqual([401, REFUSED])
}

describe.each(EXAMPLES)('a job of $kind', example => {
  const { kind, job, pin } = example
  const now_s = () => Math.floor(app.clock.now().getTime() / 1000)

  it('gets one key for its token, and the event says what pinned it', async () => {
    const token = await sign(example)
    const given = await exchange(token)
    expect([given.status, given.body.rule]).toEqual([201, kind])
    expect((await app.makeClientWith(given.body.key).get('/flows/acme')).status).toBe(200)
    const [claim] = pin
    expect((await app.readEvents('ci_key_issued')).at(-1)?.data).toMatchObject({
      issuer_kind: kind,
      keys: 'published',
      subject: job.sub,
      repository: claim === 'sub' ? null : { [claim]: job[claim] },
    })
    await expectRefusal(token)
  })

  it.each<[string, () => Record<string, unknown>]>([
    ['of another pin', () => ({ [pin[0]]: pin[1] })],
    ['without the pin', () => ({ [pin[0]]: undefined })],
    ['with the pin in a list', () => ({ [pin[0]]: [job[pin[0]]] })],
    ['with the pin in an object', () => ({ [pin[0]]: { value: job[pin[0]] } })],
    ['with a space after the pin', () => ({ [pin[0]]: `${job[pin[0]]} ` })],
    ['with an invisible character in the pin', () => ({ [pin[0]]: `${job[pin[0]]}\u200b` })],
    ['with more after the pin', () => ({ [pin[0]]: `${job[pin[0]]}0` })],
    ['with the pin in other letters', () => ({ [pin[0]]: toOtherLetters(String(job[pin[0]])) })],
    ['with a star for the pin', () => ({ [pin[0]]: '*' })],
    ['for another audience', () => ({ aud: 'https://elsewhere.example' })],
    ['without an audience', () => ({ aud: undefined })],
    ['of another issuer', () => ({ iss: getIssuer(kind === 'github' ? 'gitlab' : 'github').url })],
    ['without a subject', () => ({ sub: undefined })],
    ['that has expired', () => ({ iat: now_s() - 400, nbf: now_s() - 400, exp: now_s() - 61 })],
    ['that does not expire', () => ({ exp: undefined })],
    ['that is valid for two days', () => ({ exp: now_s() + 2 * 86_400 })],
    ['that is not valid yet', () => ({ nbf: now_s() + 61 })],
    ['that was issued in the future', () => ({ iat: now_s() + 61 })],
    ['that was never issued', () => ({ iat: undefined })],
  ])('gets no key for a token %s', async (_what, change) => expectRefusal(await sign(example, change())))

  it('gets no key of another organization', async () => expectRefusal(await sign(example), 'other-corp'))
})

/** Changes the case, or the digits if there are no letters. */
function toOtherLetters(text: string): string {
  const upper = text.toUpperCase()
  return upper === text ? text.replaceAll(/\d/g, digit => String.fromCodePoint(0x660 + Number(digit))) : upper
}

// Every kind of credential, created the way people create them: of acme, of another org, and ones that are no longer
// valid.
import { applySetUp } from '../src/admin/apply.ts'
import type { Contract } from '../src/api/operation.ts'
import { withOwnerTransaction } from '../src/db/owner.ts'
import { ROLES, type Role } from '../src/domain/roles.ts'
import { makeIds } from '../src/lib/ids.ts'
import { systemSecrets } from '../src/lib/secrets.ts'
import { computeCsrfToken, SESSION_COOKIE } from '../src/lib/session-token.ts'
import { insertSession, makeBrowser, readMailedToken, setEmail } from './browser.ts'
import { type CiIssuer, signToken } from './ci-issuer.ts'
import {
  BASE_URL,
  type Client,
  makeFile,
  ORG,
  OTHER_ORG,
  type TestApp,
  type TestResponse,
} from './harness.ts'
import { tokenFor } from './people.ts'

export type Headers = Record<string, string>

/** The headers of a request. Created for each request, because some operations end the caller's sessions. */
export type Credential = () => Promise<Headers> | Headers

export const makeBearerHeader = (key: string | undefined): Headers => ({ authorization: `Bearer ${key}` })
export const makeBasicHeader = (key: string | undefined): Headers => ({
  authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
})

export async function makeSessionHeaders(app: TestApp, user: string): Promise<Headers> {
  const secret = await insertSession(app, user)
  return { cookie: `${SESSION_COOKIE}=${secret}`, 'x-csrf-token': computeCsrfToken(secret) }
}

/** A key of a new service account with this privilege. */
export async function createServiceKey(admin: Client, org: string, privilege: Role): Promise<string> {
  const name = `robot-${privilege}`
  await admin.post(`/service-accounts/${org}`, { name, privilege })
  const { body } = await admin.post(`/service-accounts/${org}/${name}/api-keys`, { description: 'tests' })
  return body.key
}

export interface Job {
  org: string
  privilege: Role
  flow_name?: string
}

let repositories = 100

/** A key of a CI job, issued by a new trust rule. */
export async function exchangeCiKey(
  app: TestApp,
  admin: Client,
  issuer: CiIssuer,
  job: Job,
): Promise<string> {
  const { org, ...granted } = job
  const repository_id = String(++repositories)
  const audience = `${BASE_URL}/${org}`
  const rule = {
    name: `rule-${repository_id}`,
    issuer: issuer.url,
    audience,
    claims: { repository_id },
    // All of them, so that only the role and the flow decide.
    operations: ['read', 'report', 'attest', 'administer'],
    ...granted,
  }
  const made = await admin.post(`/trust-rules/${org}`, rule)
  const token = await signToken(app, issuer, { aud: audience, repository_id })
  const given = await app.anonymous.post(`/keyless/${org}/exchange`, { token })
  if (given.status !== 201) throw new Error(`no key: ${made.text} ${given.text}`)
  return given.body.key
}

/** Adds one user of each role to the other org; returns their keys by role. */
async function addOtherOrgUsers(app: TestApp): Promise<Map<Role, string>> {
  const keys = new Map(ROLES.map(role => [role, systemSecrets.createToken('user').key]))
  const others = [...keys].map(([role, secret]) => ({ name: `other-${role}`, role, secret }))
  await withOwnerTransaction(app.owner, tx =>
    applySetUp(
      { tx, ids: makeIds(app.clock), secrets: systemSecrets, now: app.clock.now(), changes: [] },
      {
        users: others.map(({ name, secret }) => ({ name, api_keys: [{ secret }] })),
        orgs: [{ name: OTHER_ORG, members: others.map(({ name: user, role }) => ({ user, role })) }],
      },
    ),
  )
  return keys
}

/** Valid credentials of another org. */
export async function makeForeignCredentials(
  app: TestApp,
  issuer: CiIssuer,
): Promise<Map<string, Credential>> {
  const people = await addOtherOrgUsers(app)
  const robot = await createServiceKey(app.outsider, OTHER_ORG, 'admin')
  const job = await exchangeCiKey(app, app.outsider, issuer, { org: OTHER_ORG, privilege: 'member' })
  return new Map<string, Credential>([
    ...[...people].map(
      ([role, key]) => [`the key of a foreign ${role}`, () => makeBearerHeader(key)] as const,
    ),
    ['the key of a foreign service account', () => makeBearerHeader(robot)],
    ['the key of a foreign CI job', () => makeBearerHeader(job)],
    ['the session of a foreign admin', () => makeSessionHeaders(app, 'oscar')],
  ])
}

/** Credentials that no operation accepts: missing, of the wrong kind, expired or revoked. */
export async function makeInvalidCredentials(app: TestApp): Promise<Map<string, Credential>> {
  const own = async (more: object = {}) =>
    (await app.admin.post('/user/api-keys', { description: 'to end', ...more })).body
  const scim = async (client: Client, org: string) =>
    (await client.post(`/scim-tokens/${org}`, { description: 'tests' })).body.token
  const expires_at = app.clock.now().getTime() / 1000 + 10
  const [expired, revoked, gone] = [
    await own({ expires_at }),
    await own(),
    await createDeletedAccountKey(app),
  ]
  await app.admin.delete(`/user/api-keys/${revoked.id}`)
  const ended = await makeSessionHeaders(app, 'ada')
  await app.sql('update sessions set ended_at = $1', [app.clock.now()])
  const tokens = {
    'the SCIM token of this org': await scim(app.admin, ORG),
    'the SCIM token of another org': await scim(app.outsider, OTHER_ORG),
    'the token of a link': await requestLinkToken(app),
    'the token of an invitation': await requestInvitationToken(app),
    'an expired key': expired.key,
    'a revoked key': revoked.key,
    'the key of a deleted service account': gone,
    'a session as a key': await insertSession(app, 'ada'),
    'a key that nobody has': systemSecrets.createToken('user').key,
    'a secret that nobody imported': 'an-opaque-secret-of-another-service',
    junk: 'x',
  }
  app.clock.advance(11_000)
  return new Map<string, Credential>([
    ['nothing', () => ({})],
    ...Object.entries(tokens).map(([what, token]) => [what, () => makeBearerHeader(token)] as const),
    ['a key as a session', () => ({ cookie: `${SESSION_COOKIE}=${app.admin.key}` })],
    ['a session that was ended', () => ended],
    ['a key without a scheme', () => ({ authorization: String(app.admin.key) })],
    [
      'an empty header beside a session',
      async () => ({ ...(await makeSessionHeaders(app, 'ada')), authorization: '' }),
    ],
    [
      'junk beside a session',
      async () => ({ ...(await makeSessionHeaders(app, 'ada')), ...makeBearerHeader('x') }),
    ],
  ])
}

async function createDeletedAccountKey(app: TestApp): Promise<string> {
  const key = await createServiceKey(app.admin, ORG, 'admin')
  await app.admin.delete(`/service-accounts/${ORG}/robot-admin`)
  return key
}

async function requestLinkToken(app: TestApp): Promise<string> {
  await setEmail(app, 'ada', 'ada@acme.example')
  await makeBrowser(app.server).submit('/auth/link', { email: 'ada@acme.example' })
  return readMailedToken(app)
}

async function requestInvitationToken(app: TestApp): Promise<string> {
  await app.admin.post(`/invitations/${ORG}`, { email: 'ines@acme.example', role: 'admin' })
  return tokenFor(app, 'ines@acme.example')
}

export const FLOW = 'flow-of-acme'
const ENVIRONMENT = 'environment-of-acme'
const SHA1 = '4f2c1d0b9a8e7f6d5c4b3a291807f6e5d4c3b2a1'

/** Puts the canary into every text of acme except names, because errors repeat the path. */
export async function fillAcme({ admin, sql }: TestApp, canary: string): Promise<void> {
  const description = canary
  const ok = async (answer: Promise<TestResponse>) => {
    const { status, text } = await answer
    if (status >= 300) throw new Error(text)
  }
  await ok(admin.patch(`/organizations/${ORG}`, { description }))
  await ok(admin.put(`/flows/${ORG}`, { name: FLOW, description }))
  await ok(admin.put(`/trails/${ORG}/${FLOW}`, { name: 'trail', description }))
  await ok(
    admin.post(`/artifacts/${ORG}/${FLOW}`, {
      fingerprint: 'b'.repeat(64),
      filename: canary,
      git_commit: SHA1,
      build_url: `https://ci.example.com/${canary}`,
      commit_url: 'https://git.example.com/commit/1',
      trail_name: 'trail',
      template_reference_name: 'backend',
    }),
  )
  const data_json = JSON.stringify({ attestation_name: 'attached', is_compliant: true, description })
  await ok(
    admin.form('POST', `/attestations/${ORG}/${FLOW}/trail/trail/generic`, {
      data_json,
      attachment_file: makeFile(canary),
    }),
  )
  await ok(admin.put(`/environments/${ORG}`, { name: ENVIRONMENT, type: 'K8S', description }))
  const pod = {
    podName: canary,
    namespace: canary,
    creationTimestamp: 1,
    digests: { [canary]: 'b'.repeat(64) },
  }
  await ok(admin.put(`/environments/${ORG}/${ENVIRONMENT}/report/K8S`, { artifacts: [pod] }))
  const policy_yaml = `# ${canary}\n_schema: https://waybill.example/v1\n`
  await ok(admin.put(`/policies/${ORG}/policy-of-acme`, { policy_yaml, description }))
  await ok(admin.post(`/custom-attestation-types/${ORG}`, { name: 'type-of-acme', description }))
  await ok(admin.post(`/service-accounts/${ORG}`, { name: 'account-of-acme', description }))
  await ok(admin.post(`/service-accounts/${ORG}/account-of-acme/api-keys`, { description }))
  await ok(admin.post(`/scim-tokens/${ORG}`, { description }))
  await ok(admin.post(`/invitations/${ORG}`, { email: `${canary}@example.com`, role: 'reader' }))
  await sql(`update users set display_name = $1 where name in ('ada', 'max', 'sam', 'rita')`, [canary])
}

/** The path of an operation, with resources that exist in acme where possible and unknown ones otherwise. */
export function buildPath(contract: Contract, org: string, path = contract.path): string {
  const values: Record<string, string> = {
    ...contract.example?.params,
    org,
    flow_name: FLOW,
    trail_name: 'trail',
    env_name: ENVIRONMENT,
    fingerprint: 'b'.repeat(64),
    repo_id: '018f0000-0000-7000-8000-00000001',
    user: 'max',
  }
  return `/api/v2${path.replaceAll(/\{(\w+)\+?\}/g, (_, name: string) => values[name] ?? 'unknown')}`
}

/** The number and a hash of acme's rows in each table, without last-seen times. */
export async function readAcmeContent(app: TestApp): Promise<Record<string, unknown>> {
  const tables = await app.sql(
    `select c.table_name as name, c.column_name as by from information_schema.columns c
     join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
       and (c.column_name = 'org_id' or (c.column_name = 'user_id' and c.table_name in ('users', 'personal_keys')))`,
  )
  const content: Record<string, unknown> = {}
  for (const { name, by } of tables) {
    const whose =
      by === 'org_id'
        ? `(select org_id from orgs where name = '${ORG}')`
        : `(select user_id from users where name in ('ada', 'max', 'sam', 'rita'))`
    const [row] = await app.sql(
      `select count(*)::int as rows, md5(string_agg(line, '' order by line)) as hash
       from (select (to_jsonb(t) - 'last_used_at' - 'last_seen_at')::text as line from ${name} t where ${by} in ${whose}) l`,
    )
    content[String(name)] = row
  }
  return content
}

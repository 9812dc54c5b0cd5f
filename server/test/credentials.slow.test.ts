// Every operation against every kind of credential. Credentials of another org, of the wrong kind or no longer valid
// get nothing and change nothing; valid ones may do exactly what their role allows. The list covers new operations.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Contract } from '../src/api/operation.ts'
import { operations } from '../src/api/operations.ts'
import { listPaths } from '../src/http/compat.ts'
import { type CiIssuer, startIssuer } from './ci-issuer.ts'
import {
  buildPath,
  type Credential,
  createServiceKey,
  exchangeCiKey,
  FLOW,
  fillAcme,
  type Headers,
  makeBasicHeader,
  makeBearerHeader,
  makeForeignCredentials,
  makeInvalidCredentials,
  makeSessionHeaders,
  readAcmeContent,
} from './credentials.ts'
import { ORG, OTHER_ORG, ROLE_USERS, startTestApp, type TestApp, type TestResponse } from './harness.ts'
import { addPerson } from './people.ts'
import { getNeededAccess, isRole, mayCall, ROLES, type Role, suffices } from './roles.ts'
import { listScimRoutes } from './scim.ts'

const CANARY = `canary-${randomUUID()}`
const LACKS_ROLE = { message: "You don't have permission to access this resource" }
const OTHER_FLOW = {
  message: 'This key is limited to certain flows, and the request is about something else',
}
const CSRF = { message: 'The X-CSRF-Token header is missing or wrong' }

let app: TestApp
let issuer: CiIssuer
let foreign: Map<string, Credential>
let worthless: Map<string, Credential>
let before: Record<string, unknown>
beforeAll(async () => {
  issuer = await startIssuer()
  app = await startTestApp({ settings: { WAYBILL_CI_ISSUERS: issuer.url } })
  await fillAcme(app, CANARY)
  worthless = await makeInvalidCredentials(app)
  foreign = await makeForeignCredentials(app, issuer)
  before = await readAcmeContent(app)
})
afterAll(async () => {
  await app.stop()
  await issuer.stop()
})

const named = operations.map(({ contract }) => [contract.id, contract] as const)
const inAnOrg = named.filter(([, contract]) => isRole(getNeededAccess(contract)))
const aboutTheCaller = named.filter(([, contract]) => ['user', 'caller'].includes(getNeededAccess(contract)))
const open = named.filter(([, contract]) => getNeededAccess(contract) === 'public')

function call(contract: Contract, headers: Headers, path = buildPath(contract, ORG)): Promise<TestResponse> {
  const query = new URLSearchParams(contract.example?.query).toString()
  return send(contract.method, query === '' ? path : `${path}?${query}`, headers, contract.example?.body)
}

function send(method: string, url: string, headers: Headers, body?: unknown): Promise<TestResponse> {
  return app.anonymous.call(method, url, body, headers)
}

/** Sends an unknown parameter: an authorized request gets 400, before anything is changed. */
async function isLetIn(
  contract: Contract,
  headers: Headers,
  path = buildPath(contract, ORG),
): Promise<boolean> {
  const answer = await send(contract.method, `${path}?no_such_parameter=1`, headers)
  if (answer.status === 400) return true
  expect(answer.status, contract.id).toBe(403)
  expect([LACKS_ROLE, OTHER_FLOW], contract.id).toContainEqual(answer.body)
  return false
}

function expectNoCanary({ text, headers }: TestResponse, what: string): void {
  expect(text + JSON.stringify(headers), what).not.toContain(CANARY)
}

function expectUnauthenticated(answer: TestResponse, what: string): void {
  expect(answer.status, what).toBe(401)
  expect(answer.headers['www-authenticate'], what).toBe('Bearer')
  expect(Object.keys(answer.body), what).toEqual(['message'])
  expectNoCanary(answer, what)
}

describe('the canary', () => {
  it('is in the responses to an admin, so that its absence elsewhere proves something', async () => {
    const holders = ['organizations/acme', 'flows/acme', 'environments/acme', 'service-accounts/acme']
    for (const path of [...holders, 'scim-tokens/acme', 'invitations/acme', 'audit-events/acme']) {
      expect((await app.admin.get(`/${path}`)).text, path).toContain(CANARY)
    }
  })
})

describe.each(inAnOrg)('%s', (_id, contract) => {
  it('returns 401 for every invalid credential, with the same message for all keys', async () => {
    const bodies = new Set<string>()
    for (const [what, credential] of worthless) {
      const headers = await credential()
      const answer = await call(contract, headers)
      expectUnauthenticated(answer, what)
      if (headers.authorization?.startsWith('Bearer ')) bodies.add(answer.text)
      expect(answer.text, what).not.toContain(app.admin.key)
    }
    // Callers must not learn whether a key never existed, has expired or was revoked.
    expect([...bodies]).toEqual(['{"message":"The API key is not valid"}'])
  })

  it('returns 403 for credentials of another org, and the same for an org that does not exist', async () => {
    for (const [what, credential] of foreign) {
      for (const path of listPaths(contract.path).map(each => buildPath(contract, ORG, each))) {
        const answer = await call(contract, await credential(), path)
        expect([answer.status, answer.body], what).toEqual([403, { message: `Access denied to ${path}` }])
        expectNoCanary(answer, what)
      }
      const path = buildPath(contract, 'no-such-org')
      const unknown = await call(contract, await credential(), path)
      expect([unknown.status, unknown.body], what).toEqual([403, { message: `Access denied to ${path}` }])
    }
  })

  it('accepts a key as Basic just as it does as Bearer', async () => {
    const own = await send(
      contract.method,
      `${buildPath(contract, ORG)}?no_such_parameter=1`,
      makeBasicHeader(app.admin.key),
    )
    expect(own.status).toBe(400)
    const outside = await call(contract, makeBasicHeader(app.outsider.key))
    expect(outside.status).toBe(403)
    expectNoCanary(outside, 'foreign key')
    const unknown = await call(contract, makeBasicHeader(`${app.admin.key}x`))
    expectUnauthenticated(unknown, 'unknown key')
    expect(unknown.body).toEqual({ message: 'The API key is not valid' })
  })

  it('accepts a session for a change only with its CSRF token', async () => {
    const { cookie = '' } = await makeSessionHeaders(app, 'ada')
    const other = await makeSessionHeaders(app, 'ada')
    const forged = { cookie, 'x-csrf-token': other['x-csrf-token'] ?? '' }
    for (const headers of [{ cookie }, forged]) {
      const url = `${buildPath(contract, ORG)}?no_such_parameter=1`
      const answer = await send(contract.method, url, headers)
      if (contract.method === 'GET') expect(answer.status).toBe(400)
      else expect([answer.status, answer.body]).toEqual([403, CSRF])
    }
  })
})

describe.each(aboutTheCaller)('%s', (_id, contract) => {
  it('returns 401 for every invalid credential', async () => {
    for (const [what, credential] of worthless) {
      expectUnauthenticated(await call(contract, await credential()), what)
    }
    expectUnauthenticated(await call(contract, makeBasicHeader(`${app.admin.key}x`)), 'Basic')
  })

  it('reveals nothing about acme to credentials of another org', async () => {
    for (const [what, credential] of foreign) {
      const answer = await call(contract, await credential())
      expectNoCanary(answer, what)
      const isPerson = !/service account|CI job/.test(what)
      if (getNeededAccess(contract) === 'user' && !isPerson) {
        expect([answer.status, answer.body], what).toEqual([403, LACKS_ROLE])
      } else expect(answer.status, what).not.toBe(401)
    }
  })

  it('accepts a session for a change only with its CSRF token', async () => {
    const { cookie = '' } = await makeSessionHeaders(app, 'oscar')
    const answer = await send(contract.method, `${buildPath(contract, ORG)}?no_such_parameter=1`, { cookie })
    expect(answer.status).toBe(contract.method === 'GET' ? 400 : 403)
  })
})

describe.each(open)('%s', (_id, contract) => {
  it('reveals nothing about acme to anyone', async () => {
    for (const [what, credential] of [...worthless, ...foreign]) {
      const answer = await call(contract, await credential())
      expectNoCanary(answer, what)
      if (contract.path.includes('{org}')) expect(answer.status, what).toBe(401)
    }
  })
})

describe.each(listScimRoutes())('%s', route => {
  it('accepts a SCIM token of the org and nothing else', async () => {
    const [method = '', template = ''] = route.split(' ')
    const path = template.replace('{org}', ORG).replace('{id}', randomUUID())
    const others: [string, Credential][] = [
      ...worthless,
      ...foreign,
      ['the key of an admin', () => makeBearerHeader(app.admin.key)],
      ['the session of an admin', () => makeSessionHeaders(app, 'ada')],
      ['Basic', () => makeBasicHeader(app.admin.key)],
    ]
    const bodies = new Set<string>()
    for (const [what, credential] of others) {
      if (what === 'the SCIM token of this org') continue
      const answer = await scim(method, path, await credential())
      expect(answer.statusCode, what).toBe(401)
      bodies.add(answer.body)
    }
    expect(bodies.size).toBe(1)
    expect([...bodies].join()).not.toContain(CANARY)
    const own = await scim(method, path, (await worthless.get('the SCIM token of this org')?.()) ?? {})
    expect([200, 400, 404]).toContain(own.statusCode)
  })

  const scim = (method: string, url: string, headers: Headers) =>
    app.server.inject({ method: method as 'GET', url, headers })
})

it('acme is unchanged after all these requests', async () => {
  expect(Object.keys(before).length).toBeGreaterThan(30)
  expect(await readAcmeContent(app)).toEqual(before)
})

describe('the right credentials', () => {
  const holders = new Map<string, { role: Role; credential: Credential }>()
  beforeAll(async () => {
    for (const role of ROLES) {
      const key = await createServiceKey(app.admin, ORG, role)
      holders.set(`a service account as ${role}`, { role, credential: () => makeBearerHeader(key) })
      const session = await makeSessionHeaders(app, ROLE_USERS[role])
      holders.set(`a session as ${role}`, { role, credential: () => session })
      if (role === 'admin') continue
      const job = await exchangeCiKey(app, app.admin, issuer, { org: ORG, privilege: role })
      holders.set(`a CI job as ${role}`, { role, credential: () => makeBearerHeader(job) })
    }
    const key = await createServiceKey(app.admin, ORG, 'auditor')
    holders.set('a service account as auditor', { role: 'auditor', credential: () => makeBearerHeader(key) })
    await addPerson(app, 'olga', 'auditor')
    const session = await makeSessionHeaders(app, 'olga')
    holders.set('a session as auditor', { role: 'auditor', credential: () => session })
  })

  it.each(inAnOrg)('may call %s exactly when the role suffices', async (_id, contract) => {
    expect(holders.size).toBe(13)
    for (const [what, { role, credential }] of holders) {
      expect(await isLetIn(contract, await credential()), what).toBe(mayCall(role, contract))
    }
  })

  it('do what they are authorized for, and are recorded as the actor', async () => {
    const actors = new Set<string>()
    for (const [what, { role, credential }] of holders) {
      const headers = await credential()
      const name = what.replaceAll(' ', '-')
      const made = await send('PUT', `/api/v2/flows/${ORG}`, headers, { name, description: '' })
      expect(made.status, what).toBe(suffices(role, 'member') ? 201 : 403)
      expect((await send('GET', `/api/v2/flows/${ORG}/${FLOW}`, headers)).text, what).toContain(CANARY)
      const foreign_flows = await send('GET', `/api/v2/flows/${OTHER_ORG}`, headers)
      expect(foreign_flows.body, what).toEqual({ message: `Access denied to /api/v2/flows/${OTHER_ORG}` })
      const members = await send('PUT', `/api/v2/members/${ORG}/max`, headers, { role: 'member' })
      expect(members.status, what).toBe(role === 'admin' ? 200 : 403)
    }
    for (const { actor, data } of await app.readEvents('flow_created')) {
      if (JSON.stringify(data).includes('-as-')) actors.add(actor.replace(/\d+$/, 'N'))
    }
    expect([...actors].sort()).toEqual(['ada', 'ci:rule-N', 'max', 'robot-admin', 'robot-member'])
  })

  it.each(ROLES.filter(role => role !== 'admin'))(
    'of a CI job for one flow are limited to it, as %s',
    async role => {
      const key = await exchangeCiKey(app, app.admin, issuer, { org: ORG, privilege: role, flow_name: FLOW })
      for (const [, contract] of inAnOrg) {
        for (const path of listPaths(contract.path)) {
          const [own, other] = [FLOW, 'another-flow'].map(flow =>
            buildPath(contract, ORG, path.replace('{flow_name}', flow)),
          )
          const expected = path.includes('{flow_name}') && mayCall(role, contract)
          expect(await isLetIn(contract, makeBearerHeader(key), own), `${contract.id} of its flow`).toBe(
            expected,
          )
          expect(await isLetIn(contract, makeBearerHeader(key), other), `${contract.id} of another`).toBe(
            false,
          )
        }
      }
    },
  )
})

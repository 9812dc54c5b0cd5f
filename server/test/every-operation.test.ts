// Rules for all operations, checked for every operation in the list, including new ones.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Contract, Operation } from '../src/api/operation.ts'
import { operations } from '../src/api/operations.ts'
import { listPaths } from '../src/http/compat.ts'
import { listFailures } from '../src/http/openapi-errors.ts'
import { NEEDS_A_SIGNED_TOKEN } from './ci-issuer.ts'
import { readDocument } from './fuzz/document.ts'
import { type Client, ORG, OTHER_ORG, startTestApp, type TestApp, type TestResponse } from './harness.ts'
import { OTHER_ROUTES } from './other-routes.ts'
import { reopen } from './people.ts'
import { buildPathFor, CANARY, prepareFor } from './prepare-operation.ts'
import { FOR_OTHERS, getName, getNeededAccess, isRole, ROLES, type Role, suffices } from './roles.ts'
import { parseRoutes } from './routes.ts'

let app: TestApp
/** Runs only the examples, each once, so that they find only what other examples left. */
let untouched: TestApp

beforeAll(async () => {
  app = await startTestApp()
  untouched = await startTestApp()
  for (const { contract } of operations) {
    await prepareFor(contract, app)
    await prepareFor(contract, untouched)
  }
})
afterAll(async () => {
  await app.stop()
  await untouched.stop()
})

const document = readDocument(operations)

/** Problems of a response by the published document; the harness compares it with the contract. */
function findDocumentProblem(
  { id, download, streams }: Contract,
  { status, body }: TestResponse,
): string | undefined {
  const answers = document.operations.find(operation => operation.id === id)?.answers[status]
  if (!answers) return `${status} is not documented`
  // Files and streams are not values.
  if (download || streams) return undefined
  const schema = answers['application/json']
  return schema ? document.findProblem(schema, body) : `${status} is not documented as JSON`
}

function callWith(client: Client, contract: Contract, org: string): Promise<TestResponse> {
  const query = new URLSearchParams(contract.example?.query).toString()
  const where = client === untouched.admin ? untouched : app
  const path = buildPathFor(contract, org, where, client) + (query === '' ? '' : `?${query}`)
  return client.call(contract.method, path, contract.example?.body ?? undefined)
}

const findClient = (role: (typeof ROLES)[number]): Client => app[role]
const named = operations.map(operation => [operation.contract.id, operation] as const)
const inAnOrg = named.filter(([, { contract }]) => isRole(getNeededAccess(contract)))
const authenticated = named.filter(([, { contract }]) => getNeededAccess(contract) !== 'public')
/** These read no body. */
const isBuilt = ({ contract }: Operation) => contract.unimplemented === undefined
const withBody = named.filter(([, one]) => one.contract.body !== undefined && isBuilt(one))
/** One gate reads the bodies of all operations, so the first of each method stands for the others. */
const readSameWay = new Set(
  ['POST', 'PUT', 'PATCH', 'DELETE'].map(
    method => withBody.find(([, { contract }]) => contract.method === method)?.[0],
  ),
)
const NO_OBJECTS: [string, unknown][] = [
  ['a text', 'text'],
  ['null', null],
  ['text that is not JSON', '{"name":'],
  ['a key twice', '{"name":"a","name":"b"}'],
]

/** The latest counts; undefined as soon as something may have changed. */
let seen: unknown

/** Reads the counts once per call: the counts before a call are those after the previous one. */
async function expectNoChange<T>(call: () => Promise<T>): Promise<T> {
  const before = seen ?? (await readCounts())
  const answer = await call()
  seen = await readCounts()
  expect(seen).toEqual(before)
  return answer
}

async function readCounts(): Promise<unknown> {
  const [counts] = await app.sql(`
    select (select count(*) from flows) as flows, (select count(*) from trails) as trails,
           (select md5(string_agg(e::text, '' order by e.environment_id)) from environments e) as environments,
           (select count(*) from events) as events, (select md5(string_agg(f::text, '' order by f.flow_id)) from flows f) as content`)
  return counts
}

/** These record the same kind of event for each record that they change. */
const EVENT_PER_RECORD = new Set(['eraseLogPerson'])

/** Pictures for external pages, which would otherwise reload them for every visitor. */
const MAY_BE_KEPT = new Set(['getBadge'])

/** None, one that nobody has, and an imported one that nobody imported. */
const USELESS_KEYS = [
  undefined,
  'wb_user_000000000000_00000000000000000000000000000000000000000000000000000',
  'some-opaque-secret-that-nobody-imported',
]

describe.each(authenticated)('%s', (_id, { contract }) => {
  it('answers 401 without a key, and to keys that nobody has', async () => {
    const ask = () => Promise.all(USELESS_KEYS.map(key => callWith(app.makeClientWith(key), contract, ORG)))
    for (const answer of await expectNoChange(ask)) {
      expect(answer.status).toBe(401)
      expect(answer.headers['www-authenticate']).toBe('Bearer')
      expect(Object.keys(answer.body)).toEqual(['message'])
    }
  })
})

describe.each(inAnOrg)('%s', (_id, { contract }) => {
  it('returns 403 to a member of another org, changes nothing and reveals nothing', async () => {
    const answer = await expectNoChange(() => callWith(app.outsider, contract, ORG))
    const path = `/api/v2${buildPathFor(contract, ORG, app)}`
    expect(answer.status).toBe(403)
    expect(answer.body).toEqual({ message: `Access denied to ${path}` })
    expect(answer.text + JSON.stringify(answer.headers)).not.toContain(CANARY)
  })

  it('returns the same for an org that does not exist', async () => {
    const foreign = await callWith(app.admin, contract, OTHER_ORG)
    const unknown = await callWith(app.admin, contract, 'no-such-org')
    expect(unknown.status).toBe(foreign.status)
    expect(unknown.text.replace('no-such-org', OTHER_ORG)).toBe(foreign.text)
  })

  // roles.test.ts tries every role; handlers decide only about the objects of others.
  const needed = FOR_OTHERS[getName(contract)] ?? (getNeededAccess(contract) as Role)
  const tried = FOR_OTHERS[getName(contract)]
    ? ROLES
    : ROLES.filter(role => suffices(role, needed)).slice(0, 1)
  it.each(tried)('accepts a %s exactly when the role suffices', async role => {
    const answer = await callWith(findClient(role), contract, ORG)
    expect(answer.status === 403).toBe(!suffices(role, needed))
    const hasChanged = contract.method !== 'GET' && answer.status < 400
    seen = undefined
    if (hasChanged) await prepareFor(contract, app)
  })
})

describe.each(named)('%s', (_id, { contract }) => {
  it('returns 400 for an unknown query parameter', async () => {
    const path = `${buildPathFor(contract, ORG, app)}?no_such_parameter=1`
    const answer = await app.admin.call(contract.method, path, contract.example?.body)
    expect(answer.status).toBe(400)
    expect(answer.body.errors).toHaveProperty(['query.no_such_parameter'])
  })

  it('succeeds with its example, in the promised shape, and records its event', async () => {
    const kinds = [contract.audit].flat()
    const [before] = await untouched.sql('select count(*) from events')
    const answer = await callWith(untouched.admin, contract, ORG)
    if (NEEDS_A_SIGNED_TOKEN.has(contract.id)) return expect(answer.status).toBe(401)
    if (contract.unimplemented) {
      expect(findDocumentProblem(contract, answer)).toBeUndefined()
      return expect([answer.status, answer.body]).toEqual([501, { message: contract.unimplemented }])
    }
    expect(contract.creates ? [200, 201] : [200]).toContain(answer.status)
    expect(findDocumentProblem(contract, answer)).toBeUndefined()
    const recorded = await untouched.sql('select kind, actor from events order by event_id offset $1', [
      before?.count,
    ])
    // Opening the log of a new organization is not part of the operation.
    const added = recorded.filter(({ kind }) => !['log_opened', 'log_key_added'].includes(String(kind)))
    if (contract.id === 'deleteOrganization') await reopen(untouched)
    if (kinds.some(kind => kind.startsWith('none'))) expect(added).toEqual([])
    else {
      // An operation with several possible events may record more than one.
      expect(added.length).toBeGreaterThanOrEqual(1)
      if (kinds.length === 1 && !EVENT_PER_RECORD.has(contract.id)) expect(added).toHaveLength(1)
      if (contract.path.includes('{org}') && !contract.audits_at_end)
        expect(answer.headers).toHaveProperty('waybill-log')
      for (const { kind, actor } of added) {
        expect(kinds).toContain(kind)
        expect(actor).toBe('ada')
      }
    }
  })

  it('carries a request id and the security headers', async () => {
    const answer = await callWith(app.reader, contract, ORG)
    expect(answer.headers['x-request-id']).toMatch(/^[\w.-]{8,64}$/)
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
    if (!MAY_BE_KEPT.has(contract.id)) expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(answer.headers).not.toHaveProperty('server')
    expect(answer.headers).not.toHaveProperty('x-powered-by')
  })
})

describe.each(withBody)('%s', (id, { contract }) => {
  const wrong: [string, unknown][] = [
    ['an unknown property', { ...(contract.example?.body as object), no_such_property: 1 }],
    ['a list', []],
    ...(readSameWay.has(id) ? NO_OBJECTS : []),
  ]
  // Prepared once, because none of the tests changes anything.
  beforeAll(async () => {
    seen = await prepareFor(contract, app)
  })
  it.each(wrong)('returns 400 for %s and stores nothing', async (_what, body) => {
    const sent = typeof body === 'string' && body !== 'text' ? body : JSON.stringify(body)
    const answer = await expectNoChange(() =>
      app.admin.call(contract.method, buildPathFor(contract, ORG, app), sent),
    )
    expect(answer.status).toBe(400)
    expect(answer.body.message).toBe('Input payload validation failed')
    expect(Object.keys(answer.body.errors).length).toBeGreaterThan(0)
  })
})

const withoutBody = named.filter(([, { contract }]) => contract.method !== 'GET' && !contract.body)
describe.each(withoutBody)('%s', (id, { contract }) => {
  it.each(id === withoutBody[0]?.[0] ? ['null', '{}', ''] : ['{}'])(
    'accepts the body %j although none is needed',
    async body => {
      await prepareFor(contract, app)
      const answer = await app.admin.call(contract.method, buildPathFor(contract, ORG, app), body)
      expect(answer.status).toBe(contract.creates ? 201 : 200)
    },
  )

  it('rejects a body that is not empty', async () => {
    const answer = await app.admin.call(contract.method, buildPathFor(contract, ORG, app), {
      no_such_property: 1,
    })
    expect(answer.status).toBe(400)
  })
})

describe('the list itself', () => {
  it('has one operation per method and path, and unique ids', () => {
    const places = operations.map(({ contract }) => `${contract.method} ${contract.path}`)
    expect(new Set(places).size).toBe(places.length)
    expect(new Set(operations.map(({ contract }) => contract.id)).size).toBe(operations.length)
  })

  it('gives every write an event or a reason for none', () => {
    const writes = operations.filter(({ contract }) => contract.method !== 'GET')
    for (const { contract } of writes) expect(contract.audit, contract.id).not.toBe('none: reads')
  })

  it('documents the statuses that the path and access imply', () => {
    const inOrg = ({ contract }: Operation) => isRole(getNeededAccess(contract))
    for (const { contract } of operations.filter(inOrg))
      expect(listFailures(contract), contract.id).toContain(403)
  })

  it('contains everything that the router serves, except health, documentation, signing in and SCIM', () => {
    // A star matches the rest of the path.
    const known = operations.flatMap(({ contract }) =>
      listPaths(contract.path).map(path => `${contract.method} /api/v2${path.replace(/\/\{\w+\+\}$/, '/*')}`),
    )
    const routed = parseRoutes(app.server.printRoutes({ includeHooks: false }))
    expect(routed.sort()).toEqual([...known, ...Object.keys(OTHER_ROUTES)].sort())
  })
})

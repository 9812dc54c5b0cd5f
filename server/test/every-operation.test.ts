// Walks the list of operations: what must hold for every one of them, asked of every one of them. A new operation is
// covered by being in the list.
import type { TSchema } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Contract, Operation } from '../src/api/operation.ts'
import { operations } from '../src/api/operations.ts'
import { BRANDED_KEYS, BRANDED_RECORD_KEYS, pathsOf } from '../src/http/compat.ts'
import { failuresOf } from '../src/http/openapi.ts'
import { shapeOfBody } from '../src/lib/shape.ts'
import { prepareSession } from './browser.ts'
import { NEEDS_A_SIGNED_TOKEN, prepareTrustRule } from './ci-issuer.ts'
import { controlFor, prepareControl } from './controls.ts'
import { prepareDelivery } from './deliveries.ts'
import { fillApproval } from './filled-org.ts'
import { type Answered, type Client, file, ORG, OTHER_ORG, type TestApp, testApp } from './harness.ts'
import { notificationFor, prepareNotification } from './notification-targets.ts'
import { OTHER_ROUTES } from './other-routes.ts'
import { invitationFor, preparePeople, reopen } from './people.ts'
import { FOR_OTHERS, isRole, nameOf, neededFor, ROLES, type Role, suffices } from './roles.ts'
import { routesOf } from './routes.ts'
import { prepareScimToken, scimTokenFor } from './scim.ts'
import { keysFor, prepareKeys } from './service-accounts.ts'

const CANARY = 'canary-7f3a-only-acme-may-see-this'
let app: TestApp
/** Where only the examples run, each once: what they find there is what they left. */
let untouched: TestApp

beforeAll(async () => {
  app = await testApp()
  untouched = await testApp()
  for (const { contract } of operations) {
    await prepareFor(contract, app)
    await prepareFor(contract, untouched)
  }
})
afterAll(async () => {
  await app.stop()
  await untouched.stop()
})

/** What these work on belongs to a flow. */
const WITH_A_BUILD = /\{(flow_name|resource_id|attestation_id)\}| getControlDecision$/

/** Something for the operation to work on, so that a refusal is a refusal and not a missing resource. */
async function prepareFor(contract: Contract, where: TestApp): Promise<void> {
  await preparePeople(contract, where)
  if (WITH_A_BUILD.test(`${contract.path} ${contract.id}`)) await prepareBuild(contract, where)
  if (contract.path.includes('{attestation_id}')) await attach(contract, where)
  if (contract.path.includes('{env_name}')) await prepareEnvironment(contract, where)
  await preparePolicies(contract, where)
  if (contract.audit === 'none: computes') await prepareToTry(where)
  await prepareRunning(contract, where)
  await prepareSession(contract, where)
  await prepareTrustRule(contract, where, CANARY)
  await prepareKeys(contract, where, CANARY)
  await prepareScimToken(contract, where, CANARY)
  await prepareNotification(contract, where, CANARY)
  await prepareDelivery(contract, where)
  await prepareControl(contract, where, CANARY)
  const type = typeFor(contract)
  if (type) await where.admin.post(`/custom-attestation-types/${ORG}`, { name: type, description: CANARY })
  const path = pathFor(contract, ORG)
  if (contract.method === 'PUT' && path.endsWith('/unarchive'))
    await where.admin.put(path.replace(/unarchive$/, 'archive'))
}

/** A flow with a trail and an artifact. */
async function prepareBuild(contract: Contract, where: TestApp): Promise<void> {
  const flow = flowFor(contract)
  await where.admin.put(`/flows/${ORG}`, { name: flow, description: CANARY })
  await where.admin.put(`/trails/${ORG}/${flow}`, {
    name: 'trail',
    description: CANARY,
    git_commit_info: { sha1: '4f2c1d0b9a8e7f6d5c4b3a291807f6e5d4c3b2a1', branch: 'main' },
    repo_info: {
      id: '311',
      name: 'acme/backend',
      url: 'https://git.example.com/backend',
      provider: 'github',
    },
  })
  await where.admin.post(`/artifacts/${ORG}/${flow}`, {
    fingerprint: 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',
    filename: CANARY,
    git_commit: '4f2c1d0b9a8e7f6d5c4b3a291807f6e5d4c3b2a1',
    build_url: 'https://ci.example.com/builds/1',
    commit_url: 'https://git.example.com/commit/1',
    trail_name: 'trail',
    template_reference_name: 'backend',
  })
  if (contract.id === 'getApproval') {
    await fillApproval(
      where.admin,
      ORG,
      flow,
      'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',
    )
  }
}

/** Of the type that the operation is about; what a logical one is to be joined by is there as well. */
async function prepareEnvironment(contract: Contract, where: TestApp): Promise<void> {
  const joins = contract.path.endsWith('/join')
  const type = joins ? 'logical' : (/\/report\/([^/]+)$/.exec(contract.path)?.[1] ?? 'K8S')
  const environment = { name: environmentFor(contract), type, description: CANARY }
  await where.admin.put(`/environments/${ORG}`, environment)
  if (joins) {
    await where.admin.put(`/environments/${ORG}`, { ...environment, name: 'production', type: 'K8S' })
  }
}

const WITH_SNAPSHOTS = new Set([
  'getSnapshot',
  'listSnapshotArtifacts',
  'listSnapshots',
  'diffSnapshots',
  'listEnvironmentEvents',
  'getEnvironmentAuditLog',
  'listDeploymentsOfEnvironment',
  'getDeploymentFrequency',
  'getDeploymentsOfArtifact',
])

/** What has snapshots is reported: twice, so that two of them can be compared. */
async function prepareRunning({ id, ...contract }: Contract, where: TestApp): Promise<void> {
  if (!WITH_SNAPSHOTS.has(id)) return
  const name = id === 'diffSnapshots' ? 'prod' : environmentFor({ id, ...contract })
  await where.admin.put(`/environments/${ORG}`, { name, type: 'K8S', description: CANARY })
  for (const digit of ['b', 'c']) {
    const pod = {
      podName: CANARY,
      namespace: 'n',
      creationTimestamp: 1,
      digests: { [CANARY]: digit.repeat(64) },
    }
    await where.admin.put(`/environments/${ORG}/${name}/report/K8S`, { artifacts: [pod] })
  }
}

/** What is read, archived, attached, detached or taken off a list is there before. */
async function preparePolicies({ id, example, ...contract }: Contract, where: TestApp): Promise<void> {
  const environment = environmentFor({ id, ...contract })
  const policy_yaml = '_schema: https://waybill.example/v1\n'
  const policy = {
    getPolicy: example?.params?.name,
    getPolicyVersion: example?.params?.name,
    archivePolicy: example?.params?.name,
    unarchivePolicy: example?.params?.name,
    tryPolicy: example?.params?.name,
    attachPolicies: 'policy-to-attach',
    detachPolicies: 'policy-to-detach',
  }[id]
  if (policy) await where.admin.put(`/policies/${ORG}/${policy}`, { policy_yaml, description: CANARY })
  if (id === 'detachPolicies') {
    await where.admin.post(`/environments/${ORG}/${environment}/policies`, { policy_names: [policy] })
  }
  if (id === 'getAllowList' || id === 'deleteAllowListEntry') {
    const artifact_fingerprint = example?.params?.fingerprint ?? 'c'.repeat(64)
    const entry = { artifact_fingerprint, artifact_name: CANARY, description: CANARY }
    await where.admin.put(`/allowlists/${ORG}/${environment}`, entry)
  }
}

/** Without the spellings of existing clients, which are in no contract. */
function withoutBrands(body: unknown): unknown {
  const brands = [...Object.values(BRANDED_KEYS), ...Object.values(BRANDED_RECORD_KEYS)]
  return JSON.parse(JSON.stringify(body), (key, value) => (brands.includes(key) ? undefined : value))
}

/** An environment in which something runs, for a policy to be tried on. */
async function prepareToTry(where: TestApp): Promise<void> {
  const environment = { name: 'environment-to-try', type: 'server', description: CANARY }
  await where.admin.put(`/environments/${ORG}`, environment)
  const artifacts = [{ digests: { [CANARY]: 'c'.repeat(64) }, creationTimestamp: 1_772_539_200 }]
  await where.admin.put(`/environments/${ORG}/environment-to-try/report/server`, { artifacts })
}

const attached = new Map<string, string>()

/** An attestation with evidence, whose id only the service knows. */
async function attach(contract: Contract, where: TestApp): Promise<void> {
  const flow = flowFor(contract)
  const data_json = JSON.stringify({ attestation_name: 'attached', is_compliant: true, description: CANARY })
  const parts = { data_json, attachment_file: file(CANARY) }
  await where.admin.form('POST', `/attestations/${ORG}/${flow}/trail/trail/generic`, parts)
  const { body } = await where.admin.get(`/attestations/${ORG}/${flow}/trail/trail/attached`)
  attached.set(`${contract.id} ${where === app}`, body[0].attestation_id)
}

function typeFor({ id, path, example }: Contract): string | undefined {
  if (id === 'reportCustomAttestation') return 'coverage-metrics'
  return path.startsWith('/custom-attestation-types/') ? example?.params?.name : undefined
}

function flowFor(contract: Contract): string {
  return `flow-for-${contract.id}`
}

function environmentFor(contract: Contract): string {
  return `environment-for-${contract.id}`
}

function pathFor(contract: Contract, org: string, where = app, client = where.admin): string {
  const values: Record<string, string> = {
    org,
    flow_name: flowFor(contract),
    trail_name: 'trail',
    env_name: environmentFor(contract),
    resource_id: flowFor(contract),
    attestation_id: attached.get(`${contract.id} ${where === app}`) ?? '',
    ...keysFor(contract, where, client),
    ...scimTokenFor(contract, where),
    ...invitationFor(contract, where),
    ...notificationFor(contract, where),
    ...controlFor(where),
    ...contract.example?.params,
  }
  return contract.path.replaceAll(
    /\{(\w+)\+?\}/g,
    (_, name: string) => values[name] ?? `no-value-for-${name}`,
  )
}

function callWith(client: Client, contract: Contract, org: string): Promise<Answered> {
  const query = new URLSearchParams(contract.example?.query).toString()
  const where = client === untouched.admin ? untouched : app
  const path = pathFor(contract, org, where, client) + (query === '' ? '' : `?${query}`)
  return client.call(contract.method, path, contract.example?.body ?? undefined)
}

const clientOf = (role: Role): Client => app[role]
const named = operations.map(operation => [operation.contract.id, operation] as const)
const inAnOrg = named.filter(([, { contract }]) => isRole(neededFor(contract)))
const authenticated = named.filter(([, { contract }]) => neededFor(contract) !== 'public')
const withBody = named.filter(([, { contract }]) => contract.body !== undefined)

/** What the last look found; unknown as soon as something may have changed. */
let seen: unknown

/** Looks once for each call and not twice: what was there before is what was there after the call before. */
async function expectNoChange(call: () => Promise<Answered>): Promise<Answered> {
  const before = seen ?? (await rowsOfAcme())
  const answer = await call()
  seen = await rowsOfAcme()
  expect(seen).toEqual(before)
  return answer
}

async function rowsOfAcme(): Promise<unknown> {
  const [counts] = await app.sql(`
    select (select count(*) from flows) as flows, (select count(*) from trails) as trails,
           (select md5(string_agg(e::text, '' order by e.environment_id)) from environments e) as environments,
           (select count(*) from events) as events, (select md5(string_agg(f::text, '' order by f.flow_id)) from flows f) as content`)
  return counts
}

describe.each(authenticated)('%s', (_id, { contract }) => {
  it.each([
    ['no key', undefined],
    ['a key nobody has', 'wb_user_000000000000_00000000000000000000000000000000000000000000000000000'],
    ['an unknown imported key', 'some-opaque-secret-that-nobody-imported'],
  ])('answers 401 to %s', async (_what, key) => {
    const answer = await expectNoChange(() => callWith(app.clientWith(key), contract, ORG))
    expect(answer.status).toBe(401)
    expect(answer.headers['www-authenticate']).toBe('Bearer')
    expect(Object.keys(answer.body)).toEqual(['message'])
  })
})

describe.each(inAnOrg)('%s', (_id, { contract }) => {
  it('answers 403 to a member of another org, changes nothing and tells nothing', async () => {
    const answer = await expectNoChange(() => callWith(app.outsider, contract, ORG))
    const path = `/api/v2${pathFor(contract, ORG)}`
    expect(answer.status).toBe(403)
    expect(answer.body).toEqual({ message: `Access denied to ${path}` })
    expect(answer.text + JSON.stringify(answer.headers)).not.toContain(CANARY)
  })

  it('answers the same for an org that does not exist', async () => {
    const foreign = await callWith(app.admin, contract, OTHER_ORG)
    const unknown = await callWith(app.admin, contract, 'no-such-org')
    expect(unknown.status).toBe(foreign.status)
    expect(unknown.text.replace('no-such-org', OTHER_ORG)).toBe(foreign.text)
  })

  it.each(ROLES)('lets in a %s exactly when the role suffices', async role => {
    const needed = FOR_OTHERS[nameOf(contract)] ?? (neededFor(contract) as Role)
    const answer = await callWith(clientOf(role), contract, ORG)
    expect(answer.status === 403).toBe(!suffices(role, needed))
    const hasChanged = contract.method !== 'GET' && answer.status < 400
    seen = undefined
    if (hasChanged) await prepareFor(contract, app)
  })
})

describe.each(named)('%s', (_id, { contract }) => {
  it('answers 400 to a query parameter it does not know', async () => {
    const path = `${pathFor(contract, ORG)}?no_such_parameter=1`
    const answer = await app.admin.call(contract.method, path, contract.example?.body)
    expect(answer.status).toBe(400)
    expect(answer.body.errors).toHaveProperty(['query.no_such_parameter'])
  })

  it('succeeds with its example, in the promised shape, and leaves its event', async () => {
    const kinds = [contract.audit].flat()
    const [before] = await untouched.sql('select count(*) from events')
    const answer = await callWith(untouched.admin, contract, ORG)
    if (NEEDS_A_SIGNED_TOKEN.has(contract.id)) return expect(answer.status).toBe(401)
    expect(contract.creates ? [200, 201] : [200]).toContain(answer.status)
    expect(shapeOfBody(contract.returns as TSchema)(withoutBrands(answer.body), '')).toBeUndefined()
    const added = await untouched.sql('select kind, actor from events order by event_id offset $1', [
      before?.count,
    ])
    if (contract.id === 'deleteOrganization') await reopen(untouched)
    if (kinds.some(kind => kind.startsWith('none'))) expect(added).toEqual([])
    else {
      // Where one of several things happens, several may happen together.
      expect(added.length).toBeGreaterThanOrEqual(1)
      if (kinds.length === 1) expect(added).toHaveLength(1)
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
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(answer.headers).not.toHaveProperty('server')
    expect(answer.headers).not.toHaveProperty('x-powered-by')
  })
})

describe.each(withBody)('%s', (_id, { contract }) => {
  const wrong: [string, unknown][] = [
    ['an unknown property', { ...(contract.example?.body as object), no_such_property: 1 }],
    ['a list', []],
    ['a text', 'text'],
    ['null', null],
    ['text that is not JSON', '{"name":'],
    ['a key twice', '{"name":"a","name":"b"}'],
  ]
  // Once for all of them: none changes anything.
  beforeAll(async () => {
    seen = await prepareFor(contract, app)
  })
  it.each(wrong)('answers 400 to %s and stores nothing', async (_what, body) => {
    const sent = typeof body === 'string' && body !== 'text' ? body : JSON.stringify(body)
    const answer = await expectNoChange(() => app.admin.call(contract.method, pathFor(contract, ORG), sent))
    expect(answer.status).toBe(400)
    expect(answer.body.message).toBe('Input payload validation failed')
    expect(Object.keys(answer.body.errors).length).toBeGreaterThan(0)
  })
})

describe.each(named.filter(([, { contract }]) => contract.method !== 'GET' && !contract.body))(
  '%s',
  (_id, { contract }) => {
    it.each(['null', '{}', ''])('takes the body %j where none is needed', async body => {
      await prepareFor(contract, app)
      const answer = await app.admin.call(contract.method, pathFor(contract, ORG), body)
      expect(answer.status).toBe(contract.creates ? 201 : 200)
    })

    it('refuses a body with something in it', async () => {
      const answer = await app.admin.call(contract.method, pathFor(contract, ORG), { no_such_property: 1 })
      expect(answer.status).toBe(400)
    })
  },
)

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
    const inOrg = ({ contract }: Operation) => isRole(neededFor(contract))
    for (const { contract } of operations.filter(inOrg))
      expect(failuresOf(contract), contract.id).toContain(403)
  })

  it('is all that the router answers, besides health, documentation, signing in and SCIM', () => {
    // A star takes the rest of the path.
    const known = operations.flatMap(({ contract }) =>
      pathsOf(contract.path).map(path => `${contract.method} /api/v2${path.replace(/\/\{\w+\+\}$/, '/*')}`),
    )
    const routed = routesOf(app.server.printRoutes({ includeHooks: false }))
    expect(routed.sort()).toEqual([...known, ...Object.keys(OTHER_ROUTES)].sort())
  })
})

// Sections 1, 3, 5, 7 and 9: rules for every path, every time, every credential and every error, read from the
// document and observed in responses.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  attach,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  readLatestSnapshot,
  report,
} from '../environments.ts'
import { startTestApp, type TestApp } from '../harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../reports.ts'

interface Schema {
  type?: string | string[]
  items?: Schema
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema
}
interface DocumentedOperation {
  operationId: string
  security?: Record<string, unknown>[]
  parameters: { name: string; in: string }[]
  'x-access': string
  deprecated?: boolean
  'x-beta'?: boolean
}

let app: TestApp
let document: {
  openapi: string
  info: { version: string }
  servers: { url: string }[]
  security: Record<string, unknown>[]
  paths: Record<string, Record<string, DocumentedOperation>>
  components: { schemas: Record<string, Schema> }
}
let documented: (DocumentedOperation & { path: string; method: string })[]
beforeAll(async () => {
  app = await startTestApp()
  document = (await app.anonymous.get('/openapi.json')).body
  documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method })),
  )
})
afterAll(() => app.stop())

const NAME_NO_ORG =
  /^\/(meta|schemas\/.*|user(\/.*)?|organizations|badges\/.*|attestations\/system-attestation-types)$/
/** A file for people and other tools, with times in words. */
const FILE = /^MembershipHistoryFile/

describe('paths', () => {
  it('carry the org, unless they are about the service, the caller, a new org or a badge', () => {
    const others = Object.keys(document.paths).filter(path => !path.includes('{org}'))
    expect(others.filter(path => !NAME_NO_ORG.test(path))).toEqual([])
    expect(Object.keys(document.paths).length).toBeGreaterThan(others.length * 4)
  })

  it.each([
    'org',
    'flow_name',
    'trail_name',
    'env_name',
    'name',
    'sha',
    'notification_type',
    'snapshot_expression',
    'identifier',
  ])('have a parameter called %s', name => {
    const holders = documented.filter(({ path }) => path.includes(`{${name}}`))
    expect(holders.length).toBeGreaterThan(0)
    for (const { parameters, operationId } of holders) {
      expect(parameters, operationId).toContainEqual(expect.objectContaining({ name, in: 'path' }))
    }
  })

  it('are below /api/v2, and nowhere else', async () => {
    expect(document.servers[0]?.url).toBe('/api/v2')
    expect((await app.reader.get('/flows/acme')).status).toBe(200)
    const { statusCode } = await app.server.inject({
      url: '/flows/acme',
      headers: { authorization: `Bearer ${app.reader.key}` },
    })
    expect(statusCode).toBe(404)
  })
})

describe('times', () => {
  it('are numbers, wherever the document names one', () => {
    const isNumber = ({ type, items, anyOf }: Schema): boolean => {
      if (anyOf) return anyOf.every(each => each.type === 'null' || isNumber(each))
      if (type === 'array') return items !== undefined && isNumber(items)
      return [type].flat().every(each => each === 'number' || each === 'integer' || each === 'null')
    }
    const schemas = Object.entries(document.components.schemas).filter(([title]) => !FILE.test(title))
    const named = schemas.flatMap(([title, { properties = {} }]) =>
      Object.entries(properties)
        .filter(([name]) => /(_at|timestamp)$/i.test(name))
        .map(([name, schema]) => ({ where: `${title}.${name}`, schema })),
    )
    expect(named.length).toBeGreaterThan(60)
    expect(named.filter(({ schema }) => !isNumber(schema)).map(({ where }) => where)).toEqual([])
  })
})

describe('credentials', () => {
  it('are bearer keys in every operation that needs some', () => {
    const closed = documented.filter(operation => operation['x-access'] !== 'public')
    expect(closed.length).toBeGreaterThan(80)
    for (const { security = document.security, operationId } of closed) {
      expect(security, operationId).toContainEqual({ bearer: [] })
    }
  })

  it('may be Basic wherever they may be bearer keys', () => {
    const closed = documented.filter(operation => operation['x-access'] !== 'public')
    for (const { security = document.security, operationId } of closed) {
      expect(security, operationId).toContainEqual({ basic: [] })
    }
  })

  it.each(['a personal key', 'a key of a service account'])('can be %s', async kind => {
    await app.admin.post('/service-accounts/acme', { name: 'robot' })
    const { body } = await app.admin.post('/service-accounts/acme/robot/api-keys', { description: 'key' })
    const key = kind === 'a personal key' ? app.reader.key : body.key
    const authorization = { authorization: `Bearer ${key}` }
    expect((await app.anonymous.call('GET', '/flows/acme', undefined, authorization)).status).toBe(200)
  })
})

describe('errors', () => {
  it('have a message, and errors by field whose values are strings', () => {
    const { Error: schema } = document.components.schemas
    expect(schema?.required).toEqual(['message'])
    expect(Object.keys(schema?.properties ?? {})).toEqual(['message', 'errors'])
    expect(schema?.properties?.message?.type).toBe('string')
    expect(schema?.properties?.errors).toMatchObject({ additionalProperties: { type: 'string' } })
  })

  it.each<[string, () => Promise<{ status: number; body: unknown }>, number]>([
    ['a caller without permission', () => app.reader.put('/flows/acme', { name: 'a', description: '' }), 403],
    ['an environment that is not there', () => app.reader.get('/environments/acme/none'), 404],
    ['a service account that is not there', () => app.admin.get('/service-accounts/acme/none'), 404],
  ])('to %s are a message alone', async (_what, ask, expected) => {
    const { status, body } = await ask()
    expect([status, body]).toEqual([expected, { message: expect.any(String) }])
  })

  it.each<[string, () => Promise<{ status: number; body: Record<string, unknown> }>]>([
    ['a report', () => app.snapshotter.put('/environments/acme/errors/report/K8S', { artifacts: [{}] })],
    ['the YAML of a policy', () => app.member.put('/policies/acme/bad', { policy_yaml: 'a: [' })],
    [
      'the YAML of a flow template',
      () =>
        app.member.form('PUT', '/flows/acme/template_file', {
          data_json: '{"name":"a"}',
          template_file: 'a: [',
        }),
    ],
  ])('in %s are 400 with a string for each field', async (_what, ask) => {
    await makeEnvironment(app, 'errors')
    const { status, body } = await ask()
    expect([status, typeof body.message]).toEqual([400, 'string'])
    const sentences = Object.values(body.errors as object)
    expect(sentences.length).toBeGreaterThan(0)
    for (const sentence of sentences) expect(typeof sentence).toBe('string')
  })
})

describe('versions', () => {
  it('are 2.0 for the interface, in OpenAPI 3.1', () => {
    expect(document.info.version).toBe('2.0')
    expect(document.openapi).toMatch(/^3\.1\./)
  })
})

describe('a new flow', () => {
  it('is private when no visibility is given', async () => {
    expect((await app.member.put('/flows/acme', { name: 'quiet', description: '' })).status).toBe(201)
    expect((await app.reader.get('/flows/acme/quiet')).body.visibility).toBe('private')
  })

  it.each(['public', 'private'])('is %s when that is given', async visibility => {
    await app.member.put('/flows/acme', { name: `flow-${visibility}`, description: '', visibility })
    expect((await app.reader.get(`/flows/acme/flow-${visibility}`)).body.visibility).toBe(visibility)
  })
})

describe('compliance', () => {
  it('is a boolean, beside a status of each policy', async () => {
    await makeFlow(app, 'build')
    await app.member.post('/artifacts/acme/build', makeBuild(makeFingerprint('a'), nameTrail('t')))
    await makeEnvironment(app, 'prod')
    await putPolicy(app, 'known', buildPolicyRequiring())
    await attach(app, 'prod', 'known')
    await report(app, 'prod', 'a')
    const green = await readLatestSnapshot(app, 'prod')
    expect(green).toMatchObject({ compliant: true, artifacts: [{ compliant: true }] })
    expect(green.artifacts[0].policy_decisions).toMatchObject([{ status: 'COMPLIANT' }])
    await report(app, 'prod', 'b')
    const red = (await readLatestSnapshot(app, 'prod')).artifacts.find(
      ({ fingerprint }: { fingerprint: string }) => fingerprint === makeFingerprint('b'),
    )
    expect(red).toMatchObject({ compliant: false, policy_decisions: [{ status: 'NON-COMPLIANT' }] })
  })
})

describe('a regional deployment', () => {
  it('names its region, and has no data of another', async () => {
    const regions = await Promise.all(
      ['eu', 'us'].map(region => startTestApp({ settings: { WAYBILL_REGION: region } })),
    )
    const [eu, us] = regions as [TestApp, TestApp]
    const answers = await Promise.all(regions.map(one => one.anonymous.get('/meta')))
    expect(answers.map(({ status, body }) => [status, body.region])).toEqual([
      [200, 'eu'],
      [200, 'us'],
    ])
    await makeFlow(eu, 'only-here')
    expect((await eu.reader.get('/flows/acme/only-here')).status).toBe(200)
    expect((await us.reader.get('/flows/acme/only-here')).status).toBe(404)
    const { key } = (await eu.reader.post('/user/api-keys', { description: 'of this region' })).body
    expect((await eu.makeClientWith(key).get('/flows/acme')).status).toBe(200)
    expect((await us.makeClientWith(key).get('/flows/acme')).status).toBe(401)
    await Promise.all(regions.map(one => one.stop()))
  })
})

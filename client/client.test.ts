// The typed client against the service itself, over HTTP: paths, parameters and responses match the OpenAPI document.
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { startTestApp, type TestApp } from '../server/test/harness.ts'
import { type components, createWaybillClient } from './index.ts'

type Schemas = components['schemas']

const FINGERPRINT = 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c'
const inAcme = { path: { org: 'acme' } }
const at = { path: { org: 'acme', flow_name: 'backend-ci' } }

let app: TestApp
let base_url: string
let client: ReturnType<typeof createWaybillClient>
beforeAll(async () => {
  app = await startTestApp()
  base_url = `${await app.server.listen({ host: '127.0.0.1', port: 0 })}/api/v2`
  client = createWaybillClient({ base_url, key: app.member.key ?? '' })
})
afterAll(() => app.stop())

describe('a walkthrough', () => {
  it('creates a flow', async () => {
    const { data, response } = await client.PUT('/flows/{org}', {
      params: inAcme,
      body: { name: 'backend-ci', description: 'Builds of the backend' },
    })
    expect(response.status).toBe(201)
    expect(data).toBe('OK')
  })

  it('begins a trail and reports an artifact, once for each Idempotency-Key', async () => {
    const begun = await client.PUT('/trails/{org}/{flow_name}', { params: at, body: { name: 'release-1' } })
    expect(begun.response.status).toBe(201)
    for (const _ of ['first', 'retry']) {
      const reported = await client.POST('/artifacts/{org}/{flow_name}', {
        params: { ...at, header: { 'Idempotency-Key': 'build-1' } },
        body: {
          fingerprint: FINGERPRINT,
          filename: 'backend:1',
          build_url: 'https://ci.example.com/1',
          commit_url: 'https://git.example.com/1',
          trail_name: 'release-1',
          template_reference_name: 'backend',
        },
      })
      expect(reported.data).toBe('OK')
    }
  })

  it('reads them back', async () => {
    const { data: flow } = await client.GET('/flows/{org}/{flow_name}', { params: at })
    expectTypeOf(flow).toEqualTypeOf<Schemas['Flow'] | undefined>()
    expect(flow).toMatchObject({ name: 'backend-ci', visibility: 'private', created_by: 'max' })
    const { data: trail } = await client.GET('/trails/{org}/{flow_name}/{trail_name}', {
      params: { path: { ...at.path, trail_name: 'release-1' } },
    })
    expect(Object.keys(trail?.compliance_status.artifacts_statuses ?? {})).toEqual(['backend'])
  })

  it('lists them, as an array or as a page', async () => {
    const { data: all } = await client.GET('/flows/{org}', { params: inAcme })
    expect(Array.isArray(all) && all.map(({ name }) => name)).toEqual(['backend-ci'])
    const { data: page } = await client.GET('/flows/{org}', {
      params: { path: { org: 'acme' }, query: { page: 1, per_page: 5 } },
    })
    expect(page && 'pagination' in page && page.pagination).toEqual({
      total: 1,
      page: 1,
      per_page: 5,
      page_count: 1,
    })
    const { data: artifacts } = await client.GET('/artifacts/{org}', { params: inAcme })
    expect(artifacts?.map(({ fingerprint }) => fingerprint)).toEqual([FINGERPRINT])
  })
})

describe('errors', () => {
  it('are typed, and name the fields', async () => {
    const { data, error, response } = await client.PUT('/flows/{org}', {
      params: inAcme,
      body: { name: 'not a name', description: '' },
    })
    expect(response.status).toBe(400)
    expect(data).toBeUndefined()
    expectTypeOf(error).toEqualTypeOf<Schemas['Error'] | undefined>()
    expect(Object.keys(error?.errors ?? {})).toEqual(['name'])
  })

  it('are returned without a key, and for unknown resources', async () => {
    const anonymous = await createWaybillClient({ base_url }).GET('/flows/{org}/{flow_name}', { params: at })
    expect([anonymous.response.status, anonymous.error?.message]).toEqual([401, 'Authentication is required'])
    const missing = await client.GET('/flows/{org}/{flow_name}', {
      params: { path: { org: 'acme', flow_name: 'nothing' } },
    })
    expect(missing.error?.message).toBe("Flow named 'nothing' does not exist for organization 'acme'")
  })

  it('are found by the compiler for unknown paths, fields and values', () => {
    const body = { name: 'a', description: '', visibility: 'secret' } as const
    const wrong = [
      // @ts-expect-error There is no such path.
      () => client.GET('/flow/{org}', { params: inAcme }),
      // @ts-expect-error A flow is private or public.
      () => client.PUT('/flows/{org}', { params: inAcme, body }),
      // @ts-expect-error The organization is missing.
      () => client.GET('/flows/{org}', { params: { path: {} } }),
    ]
    expect(wrong).toHaveLength(3)
  })
})

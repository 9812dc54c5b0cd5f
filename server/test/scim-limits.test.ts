// The limits of SCIM, tested from outside.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ORG, startTestApp, type TestApp } from './harness.ts'
import { makeProvider, type Provider, USER_SCHEMA } from './scim.ts'

let app: TestApp
let idp: Provider
let id: string
beforeAll(async () => {
  app = await startTestApp()
  idp = await makeProvider(app, app.admin, ORG)
  id = (await idp.user('first@example.com')).id
})
afterAll(() => app.stop())

const create = (more: Record<string, unknown>) => idp.post('/Users', { schemas: [USER_SCHEMA], ...more })

describe('a user', () => {
  it.each(['userName', 'externalId'])('has a %s of at most 512 characters', async field => {
    const createNamed = (size: number) =>
      create({ userName: `of-${field}@example.com`, [field]: 'n'.repeat(size) })
    expect((await createNamed(512)).status).toBe(201)
    expect((await createNamed(513)).status).toBe(400)
  })

  it('has at most 65,536 characters in its other attributes', async () => {
    const createTitled = (userName: string, size: number) => create({ userName, title: 't'.repeat(size) })
    expect((await createTitled('short@example.com', 60_000)).status).toBe(201)
    expect((await createTitled('long@example.com', 65_536)).status).toBe(400)
  })
})

describe('a request', () => {
  it('has at most 1,000 operations in a PATCH', async () => {
    const patch = (count: number) =>
      idp.patch(
        `/Users/${id}`,
        ...Array.from({ length: count }, () => ({ op: 'replace', path: 'title', value: 'x' })),
      )
    expect((await patch(1000)).status).toBe(200)
    expect((await patch(1001)).status).toBe(400)
  })

  it('has at most 32 levels in a filter', async () => {
    const filtered = (levels: number) => {
      const filter = `${'('.repeat(levels)}userName pr${')'.repeat(levels)}`
      return idp.get(`/Users?filter=${encodeURIComponent(filter)}`)
    }
    expect((await filtered(31)).status).toBe(200)
    expect((await filtered(33)).status).toBe(400)
  })
})

describe('a list', () => {
  it('has at most 200 resources, whatever count is requested', async () => {
    for (let i = 0; i < 201; i++) await idp.group(`team ${i}`)
    const { body } = await idp.get('/Groups?count=1000')
    expect([body.totalResults, body.itemsPerPage]).toEqual([201, 200])
  })
})

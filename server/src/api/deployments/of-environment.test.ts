import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeEnvironment, report } from '../../../test/environments.ts'
import { BASE_URL, startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeFingerprint } from '../../../test/reports.ts'

const DAY_MS = 86_400_000

let app: TestApp
let now: number
beforeAll(async () => {
  app = await startTestApp()
  for (const name of ['prod', 'stage']) await makeEnvironment(app, name)
  await makeEnvironment(app, 'all', { type: 'logical', included_environments: ['prod', 'stage'] })
  await report(app, 'prod', 'a')
  app.clock.advance(20 * DAY_MS)
  await report(app, 'prod', 'a', 'b')
  app.clock.advance(20 * DAY_MS)
  await report(app, 'stage', 'c')
  app.clock.advance(1000)
  await report(app, 'prod', 'd')
  now = app.clock.now().getTime() / 1000
})
afterAll(() => app.stop())

const list = (query = '', environment = 'prod') =>
  app.reader.get(`/environments/acme/${environment}/deployments${query}`)
const listShort = async (query = '', environment = 'prod') =>
  (await list(query, environment)).body.deployments.map(
    (one: { artifact_fingerprint: string }) => one.artifact_fingerprint[0],
  )

describe('200', () => {
  it('lists the last 30 days, newest first', async () => {
    const { status, body } = await list()
    expect(status).toBe(200)
    const { deployments, ...page } = body
    expect(deployments).toMatchObject([
      { artifact_fingerprint: makeFingerprint('d'), snapshot_index: 3, is_running: true },
      { artifact_fingerprint: makeFingerprint('b'), snapshot_index: 2, is_running: false },
    ])
    const address = `${BASE_URL}/api/v2/environments/acme/prod/deployments`
    expect(page).toEqual({
      from: now - 30 * 86_400,
      to: now,
      page: 1,
      page_size: 15,
      total_pages: 1,
      total_count: 2,
      _links: {
        self: { href: address },
        first: { href: `${address}?page=1` },
        last: { href: `${address}?page=1` },
      },
    })
  })

  it.each([
    ['from=2026-03-03', ['d', 'b', 'a']],
    ['from=2026-03-03T12:00:00Z&to=2026-03-23T12:00:00Z', ['b', 'a']],
    ['from=2026-03-03T12:00:01Z&to=2026-03-23T14:00:00%2B02:00', ['b']],
    ['from=1772539200&to=1772539200.0', ['a']],
    ['to=2026-03-04', ['a']],
    ['from=2026-03-03&page=2&page_size=2', ['a']],
    ['from=2026-03-03&page=9&page_size=100', []],
  ])('lists %s', async (query, expected) => {
    expect(await listShort(`?${query}`)).toEqual(expected)
  })

  it('lists the deployments to the members of a logical environment', async () => {
    expect(await listShort('', 'all')).toEqual(['d', 'c', 'b'])
    expect((await list('?page_size=2', 'all')).body).toMatchObject({ total_pages: 2, total_count: 3 })
  })
})

describe('400', () => {
  it.each([
    ['from=', 'from', 'Input should be a time in ISO 8601 or epoch seconds [input: ]'],
    ['to=noon', 'to', 'Input should be a time in ISO 8601 or epoch seconds [input: noon]'],
    ['from=2026-03-02&to=2026-03-01', 'from', 'The period should begin before it ends'],
    ['page_size=101', 'page_size', 'Input should be less than or equal to 100 [input: 101]'],
    ['per_page=1', 'per_page', 'Extra inputs are not permitted [input: 1]'],
  ])('rejects %s', async (query, field, sentence) => {
    const { status, body } = await list(`?${query}`)
    expect(status).toBe(400)
    expect(body.errors).toEqual({ [`query.${field}`]: sentence })
  })
})

describe('404', () => {
  it('rejects an unknown environment', async () => {
    const { status, body } = await list('', 'nowhere')
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Environment named 'nowhere' does not exist for organization 'acme'" })
  })
})

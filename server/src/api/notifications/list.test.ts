import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { recordStatements } from '../../../test/statement-log.ts'

const PATH = '/organizations/acme/environments_notifications'
const OTHER_PATH = '/organizations/other-corp/environments_notifications'
const ALL = 22

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await app.member.put('/environments/acme', { name: 'prod', type: 'K8S' })
  await app.outsider.put('/environments/other-corp', { name: 'prod', type: 'K8S' })
  for (let n = 1; n <= ALL; n++) await app.member.put(PATH, makeBody(`notification ${n}`))
  const { number } = (await app.member.put(PATH, makeBody('deleted'))).body
  await app.member.delete(`${PATH}/${number}`)
  await app.outsider.put(OTHER_PATH, makeBody('theirs'))
})
afterAll(() => app.stop())

const makeBody = (name: string) => ({
  name,
  environments: ['prod'],
  triggers: ['ON_NON_COMPLIANT_ENV'],
  targets: [{ type: 'WEBHOOK', webhook: 'https://hooks.example.com/full-address' }],
})
const list = (query: string) => app.reader.get(`${PATH}${query}`)
const getNames = (notifications: { name: string }[]) => notifications.map(({ name }) => name)
const NEWEST_FIRST = Array.from({ length: ALL }, (_, i) => `notification ${ALL - i}`)

describe('200', () => {
  it('returns a plain array of all, newest first, each as GET returns it', async () => {
    const { status, body } = await list('')
    expect(status).toBe(200)
    expect(getNames(body)).toEqual(NEWEST_FIRST)
    expect(body[0]).toEqual((await app.reader.get(`${PATH}/${body[0].number}`)).body)
  })

  it('pages when a page or a page size is requested', async () => {
    const whole = (await list('')).body
    const first = (await list('?page=1')).body
    expect(first.pagination).toEqual({ total: ALL, page: 1, per_page: 20, page_count: 2 })
    expect(first.data).toEqual(whole.slice(0, 20))
    const second = (await list('?page=2')).body
    expect(second.pagination).toEqual({ total: ALL, page: 2, per_page: 20, page_count: 2 })
    expect(second.data).toEqual(whole.slice(20))
    const third = (await list('?page=3&per_page=10')).body
    expect(third.pagination).toEqual({ total: ALL, page: 3, per_page: 10, page_count: 3 })
    expect(third.data).toEqual(whole.slice(20))
    expect((await list(`?per_page=${ALL}`)).body.pagination.page_count).toBe(1)
  })

  it('returns an empty page past the end', async () => {
    const { status, body } = await list('?page=3')
    expect(status).toBe(200)
    expect(body).toEqual({ data: [], pagination: { total: ALL, page: 3, per_page: 20, page_count: 2 } })
  })

  it('lists none of other organizations, and shows addresses only to those who may see them', async () => {
    const theirs = (await app.outsider.get(`${OTHER_PATH}?page=1`)).body
    expect(getNames(theirs.data)).toEqual(['theirs'])
    expect(theirs.pagination).toEqual({ total: 1, page: 1, per_page: 20, page_count: 1 })
    expect((await list('?page=1')).text).not.toContain('full-address')
    expect((await app.admin.get(`${PATH}?page=1`)).text).toContain('full-address')
  })

  it('makes the same number of database round trips whatever is listed', async () => {
    const recordSentFor = (query: string) => recordStatements(app, () => list(query))
    const one = await recordSentFor('?per_page=1')
    expect(one.waits).toHaveLength(2)
    expect(await recordSentFor('?page=1&per_page=1000')).toEqual(one)
    expect(await recordSentFor('?page=9')).toEqual(one)
    expect((await recordSentFor('')).waits).toHaveLength(1)
  })
})

describe('400', () => {
  it.each([
    ['page=0', 'query.page', 'Input should be greater than or equal to 1 [input: 0]'],
    [
      'page=one',
      'query.page',
      'Input should be a valid integer, unable to parse string as an integer [input: one]',
    ],
    ['per_page=1001', 'query.per_page', 'Input should be less than or equal to 1000 [input: 1001]'],
    ['search=x', 'query.search', 'Extra inputs are not permitted [input: x]'],
  ])('refuses %s', async (query, path, sentence) => {
    const { status, body } = await list(`?${query}`)
    expect(status).toBe(400)
    expect(body).toEqual({ message: 'Input payload validation failed', errors: { [path]: sentence } })
  })
})

describe('403', () => {
  it('denies an org the caller does not belong to', async () => {
    expect((await app.outsider.get(`${PATH}?page=1`)).status).toBe(403)
  })
})

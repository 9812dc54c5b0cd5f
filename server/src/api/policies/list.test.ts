import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { recordStatements } from '../../../test/statement-log.ts'

const YAML = '_schema: https://waybill.example/v1\n'

const LONG = `${YAML}# ${'x'.repeat(60_000)}\n`
const VERSIONS = 30

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const list = (query: string) => app.reader.get(`/policies/acme${query}`)
const getNames = (policies: { name: string }[]) => policies.map(({ name }) => name)
const listNames = async (query: string) => getNames((await list(query)).body)

const create = (name: string, policy_yaml = YAML) => app.member.put(`/policies/acme/${name}`, { policy_yaml })

describe('200', () => {
  it('is an empty list before there is a policy', async () => {
    const { status, body } = await app.reader.get('/policies/acme')
    expect(status).toBe(200)
    expect(body).toEqual([])
  })

  it('lists policies by name, with all their fields, without archived ones or policies of other organizations', async () => {
    for (const name of ['c', 'a', 'b', 'archived']) await create(name)
    await create('b', `${YAML}# more\n`)
    await app.admin.put('/policies/acme/archived/archive', null)
    await app.outsider.put('/policies/other-corp/theirs', { policy_yaml: YAML })
    await app.member.put('/environments/acme', { name: 'place', type: 'K8S', description: '' })
    await app.member.post('/environments/acme/place/policies', { policy_names: ['a', 'c'] })
    const { body } = await app.reader.get('/policies/acme')
    const alone = ['a', 'b', 'c'].map(async name => (await app.reader.get(`/policies/acme/${name}`)).body)
    expect(body).toEqual(await Promise.all(alone))
    expect(body[0].consuming_envs).toEqual(['place'])
    expect(body[1].versions).toHaveLength(2)
    expect((await app.outsider.get('/policies/other-corp')).body).toMatchObject([{ name: 'theirs' }])
  })
  it('pages if a page or a page size is given', async () => {
    const first = (await list('?per_page=2')).body
    expect(first.pagination).toEqual({ total: 3, page: 1, per_page: 2, page_count: 2 })
    expect(getNames(first.data)).toEqual(['a', 'b'])
    const second = (await list('?page=2&per_page=2')).body
    expect(second.pagination).toEqual({ total: 3, page: 2, per_page: 2, page_count: 2 })
    expect(getNames(second.data)).toEqual(['c'])
    expect((await list('?page=1')).body.pagination).toEqual({
      total: 3,
      page: 1,
      per_page: 20,
      page_count: 1,
    })
  })

  it('returns an empty page past the end, and no pages if there are no policies', async () => {
    expect((await list('?page=3&per_page=2')).body).toEqual({
      data: [],
      pagination: { total: 3, page: 3, per_page: 2, page_count: 2 },
    })
    expect((await list('?page=1000000&per_page=1000')).body.pagination.page_count).toBe(1)
    expect((await list('?search_by_name=nowhere&page=1')).body).toEqual({
      data: [],
      pagination: { total: 0, page: 1, per_page: 20, page_count: 0 },
    })
    expect((await list('?search_by_name=nowhere')).body).toEqual([])
  })

  it('has no policies of other organizations on a page', async () => {
    const { data, pagination } = (await app.outsider.get('/policies/other-corp?page=1')).body
    expect(getNames(data)).toEqual(['theirs'])
    expect(pagination.total).toBe(1)
    expect((await list('?page=1&search_by_name=theirs')).body.pagination.total).toBe(0)
  })

  it('shows only the newest version of each and no events on a page, and all other fields', async () => {
    const { data } = (await list('?page=1')).body
    const whole = (await list('')).body
    expect(whole[1].versions.length).toBe(2)
    expect(whole[1].events.length).toBeGreaterThan(0)
    const cut = whole.map((policy: { versions: unknown[] }) => ({
      ...policy,
      versions: policy.versions.slice(-1),
      events: [],
    }))
    expect(data).toEqual(cut)
  })

  it('stays small on a page however many long versions there are', async () => {
    for (let n = 0; n < VERSIONS; n++)
      expect((await create('long', `${LONG}# ${n}\n`)).status).toBeLessThan(300)
    const page = await list('?page=1&search_by_name=long')
    expect(page.body.data[0].versions).toMatchObject([{ version: VERSIONS }])
    expect(page.text.length).toBeLessThan(2 * LONG.length)
    expect((await list('?search_by_name=long')).text.length).toBeGreaterThan(VERSIONS * 60_000)
    await app.admin.put('/policies/acme/long/archive', null)
  })

  it('searches for literal parts of the name, case-sensitively by default', async () => {
    for (const name of ['Gamma', 'g_m', 'gxm']) await create(name)
    expect(await listNames('?search_by_name=amma')).toEqual(['Gamma'])
    expect(await listNames('?search_by_name=gamma')).toEqual([])
    expect(await listNames('?search_by_name=GAMMA&case_sensitive=false')).toEqual(['Gamma'])
    expect(await listNames('?search_by_name=gamma&case_sensitive=true')).toEqual([])
    expect(await listNames('?search_by_name=_')).toEqual(['g_m'])
    expect(await listNames('?search_by_name=%25')).toEqual([])
    const page = (await list('?search_by_name=g&case_sensitive=false&page=2&per_page=2')).body
    expect(page.pagination).toEqual({ total: 3, page: 2, per_page: 2, page_count: 2 })
    expect(page.data).toHaveLength(1)
  })

  it('runs the same number of statements whatever is listed', async () => {
    const recordListStatements = (query: string) => recordStatements(app, () => list(query))
    await list('')
    expect(await recordListStatements('?per_page=1')).toEqual(
      await recordListStatements('?page=9&per_page=1000'),
    )
    expect(await recordListStatements('?per_page=1')).toEqual(
      await recordListStatements('?page=1&search_by_name=nowhere'),
    )
    expect((await recordListStatements('?page=1')).waits).toHaveLength(2)
    expect((await recordListStatements('')).waits).toHaveLength(2)
  })
})

describe('400', () => {
  it('refuses an empty search', async () => {
    const { status, body } = await list('?search_by_name=')
    expect(status).toBe(400)
    expect(body).toEqual({ message: 'Empty string is not allowed for policy names.' })
  })

  it.each([
    ['page=0', 'query.page', 'Input should be greater than or equal to 1 [input: 0]'],
    ['page=1000001', 'query.page', 'Input should be less than or equal to 1000000 [input: 1000001]'],
    [
      'page=one',
      'query.page',
      'Input should be a valid integer, unable to parse string as an integer [input: one]',
    ],
    ['per_page=0', 'query.per_page', 'Input should be greater than or equal to 1 [input: 0]'],
    ['per_page=1001', 'query.per_page', 'Input should be less than or equal to 1000 [input: 1001]'],
    ['search=x', 'query.search', 'Extra inputs are not permitted [input: x]'],
    ['search_by_name=a%00b', 'query.search_by_name', 'Text contains a NUL character'],
  ])('refuses %s', async (query, path, sentence) => {
    const { status, body } = await list(`?${query}`)
    expect(status).toBe(400)
    expect(body).toEqual({ message: 'Input payload validation failed', errors: { [path]: sentence } })
  })
})

describe('403', () => {
  it('denies an org the caller does not belong to', async () => {
    const { status, body } = await app.outsider.get('/policies/acme?page=1')
    expect(status).toBe(403)
    expect(body).toEqual({ message: 'Access denied to /api/v2/policies/acme' })
  })
})

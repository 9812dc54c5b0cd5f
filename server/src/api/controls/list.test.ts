import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addControl, buildControlPolicy } from '../../../test/controls.ts'
import { BASE_URL, startTestApp, type TestApp } from '../../../test/harness.ts'
import { recordWaits } from '../../../test/statement-log.ts'

const URL = `${BASE_URL}/api/v2/controls/acme`
/** By name, then by identifier. */
const ALL = ['C-3', 'B-2', 'a-1', 'z~9']

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await addControl(app, 'z~9', { name: 'Zero trust_' })
  await addControl(app, 'B-2', { name: 'Build' })
  await addControl(app, 'a-1', { name: 'Build' })
  await addControl(app, 'C-3', { name: 'Access' })
  await addControl(app, 'gone', { name: 'Build of old' })
  await app.admin.post('/controls/acme/gone/archive', null)
  await app.member.patch('/tags/acme/control/a-1', { set_tags: { framework: 'iso', tier: '1' } })
  await app.member.patch('/tags/acme/control/B-2', { set_tags: { framework: 'soc' } })
  await app.outsider.post('/controls/other-corp', { identifier: 'foreign', name: 'Build' })
  await app.member.put('/policies/acme/one', { policy_yaml: buildControlPolicy('a-1', 'a-1', 'C-3') })
  await app.member.put('/policies/acme/another', { policy_yaml: buildControlPolicy('a-1') })
})
afterAll(() => app.stop())

const list = async (query = '') => (await app.reader.get(`/controls/acme${query}`)).body
const listIdentifiers = async (query: string) =>
  (await list(query)).controls.map(({ identifier }: { identifier: string }) => identifier)

describe('200', () => {
  it('returns the first page by name and then by identifier, with links and the policies that name each control', async () => {
    const body = await list()
    expect(body).toMatchObject({ page: 1, per_page: 15, total_pages: 1, total_count: 4 })
    expect(body._links).toEqual({
      self: { href: URL },
      first: { href: `${URL}?page=1` },
      last: { href: `${URL}?page=1` },
    })
    expect(body.controls.map(({ identifier }: { identifier: string }) => identifier)).toEqual(ALL)
    const found = Object.fromEntries(
      body.controls.map((control: { identifier: string; policies_referencing: string[] }) => [
        control.identifier,
        control.policies_referencing,
      ]),
    )
    expect(found).toEqual({ 'C-3': ['one'], 'a-1': ['another', 'one'], 'B-2': [], 'z~9': [] })
    expect(body.controls[0]).toEqual((await app.reader.get('/controls/acme/C-3')).body)
  })

  it.each<[string, string[]]>([
    ['?search=BUILD', ['B-2', 'a-1']],
    ['?search=b-2', ['B-2']],
    ['?search=_', ['z~9']],
    ['?search=%25', []],
    ['?search=', ALL],
    ['?tag=framework', ['B-2', 'a-1']],
    ['?tag=framework:iso', ['a-1']],
    ['?tag=framework&tag=tier:1', ['a-1']],
    ['?tag=framework:soc&tag=tier', []],
    ['?tag=', ALL],
    ['?tag=&tag=framework:soc', ['B-2']],
    ['?archived=true', ['gone']],
    ['?archived=false', ALL],
    ['?archived=true&search=nothing', []],
    ['?search=build&sort_direction=asc', ['B-2', 'a-1']],
    ['?page=3&per_page=2', []],
  ])('filters by %s', async (query, expected) => {
    expect(await listIdentifiers(query)).toEqual(expected)
  })

  it('reverses the order', async () => {
    const ascending = await listIdentifiers('?sort_direction=asc')
    expect(ascending).toEqual(await listIdentifiers(''))
    expect(await listIdentifiers('?sort_direction=desc')).toEqual(ascending.toReversed())
  })

  it.each(['asc', 'desc'])('pages through %s without gaps, with the requested page size', async direction => {
    const seen: string[] = []
    for (const page of [1, 2, 3, 4]) {
      const body = await list(`?per_page=1&page=${page}&sort_direction=${direction}`)
      expect(body).toMatchObject({ page, per_page: 1, total_pages: 4, total_count: 4 })
      seen.push(...body.controls.map(({ identifier }: { identifier: string }) => identifier))
    }
    expect(seen).toEqual(await listIdentifiers(`?sort_direction=${direction}`))
  })

  it('returns an empty page past the end, with a link back', async () => {
    const body = await list('?page=9&per_page=3')
    expect(body).toMatchObject({ controls: [], page: 9, per_page: 3, total_pages: 2, total_count: 4 })
    expect(body._links.prev.href).toBe(`${URL}?page=2&per_page=3`)
  })

  it('names only active policies, by their latest version', async () => {
    await app.member.put('/policies/acme/changing', { policy_yaml: buildControlPolicy('B-2') })
    await app.member.put('/policies/acme/leaving', { policy_yaml: buildControlPolicy('B-2') })
    const readPolicies = async () => (await app.reader.get('/controls/acme/B-2')).body.policies_referencing
    expect(await readPolicies()).toEqual(['changing', 'leaving'])
    await app.member.put('/policies/acme/changing', { policy_yaml: buildControlPolicy('C-3') })
    await app.admin.put('/policies/acme/leaving/archive', null)
    expect(await readPolicies()).toEqual([])
    expect((await list('?search=b-2')).controls[0].policies_referencing).toEqual([])
  })

  it('waits for the database equally often for a hundred as for one', async () => {
    const recordWaitsFor = (query: string) => recordWaits(app, () => list(query))
    await list()
    expect(await recordWaitsFor('?per_page=100')).toEqual(await recordWaitsFor('?per_page=1'))
  })
})

describe('400', () => {
  it.each([
    ['archived=maybe', 'archived', /valid boolean/],
    ['sort_direction=up', 'sort_direction', /'asc' or 'desc'/],
    ['per_page=101', 'per_page', /100/],
    ['per_page=0', 'per_page', /1/],
    ['page=0', 'page', /1/],
    ['page=many', 'page', /valid integer/],
  ])('refuses %s', async (query, field, sentence) => {
    const { status, body } = await app.reader.get(`/controls/acme?${query}`)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual([`query.${field}`])
    expect(body.errors[`query.${field}`]).toMatch(sentence)
  })
})

describe('404 of one', () => {
  it('names the control and the org', async () => {
    for (const identifier of ['nothing', 'foreign', 'c-3']) {
      const { status, body } = await app.reader.get(`/controls/acme/${identifier}`)
      expect([status, body]).toEqual([
        404,
        { message: `Control '${identifier}' does not exist in org 'acme'` },
      ])
    }
  })
})

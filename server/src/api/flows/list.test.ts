import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { recordWaits } from '../../../test/statement-log.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const name of ['beta', 'alpha', 'Gamma', 'a_b', 'axb', 'gone']) {
    app.clock.advance(1000)
    await app.member.put('/flows/acme', { name, description: `about ${name}` })
  }
  await app.member.put('/flows/acme/gone/archive', null)
  await app.outsider.put('/flows/other-corp', { name: 'foreign', description: '' })
  app.clock.advance(1000)
  await app.member.put('/trails/acme/beta', { name: 'latest' })
})
afterAll(() => app.stop())

const list = (query: string) => app.reader.get(`/flows/acme${query}`)
const getNames = (flows: { name: string }[]) => flows.map(({ name }) => name)
const listNames = async (query: string) => getNames((await list(query)).body)

describe('200', () => {
  it('returns a plain array by name, without archived and foreign flows', async () => {
    const { status, body } = await list('')
    expect(status).toBe(200)
    expect(getNames(body).toSorted()).toEqual(['Gamma', 'a_b', 'alpha', 'axb', 'beta'])
    // The collation of the database decides how capitals and signs sort.
    const letters = getNames(body).filter(name => /^[a-z]+$/.test(name))
    expect(letters).toEqual(['alpha', 'axb', 'beta'])
    expect(await listNames('?sort=name&sort_direction=asc')).toEqual(getNames(body))
  })

  it('returns each flow as GET does', async () => {
    const { body } = await list('?search_by_name=beta')
    expect(body).toEqual([(await app.reader.get('/flows/acme/beta')).body])
    expect(body[0]).toMatchObject({ tags: {}, latest_state: 'COMPLIANT' })
  })

  it('pages when a page or a page size is requested', async () => {
    const all = await listNames('')
    const first = (await list('?per_page=2')).body
    expect(first.pagination).toEqual({ total: 5, page: 1, per_page: 2, page_count: 3 })
    expect(getNames(first.data)).toEqual(all.slice(0, 2))
    const third = (await list('?page=3&per_page=2')).body
    expect(third.pagination).toEqual({ total: 5, page: 3, per_page: 2, page_count: 3 })
    expect(getNames(third.data)).toEqual(all.slice(4))
    expect((await list('?page=1')).body.pagination).toEqual({
      total: 5,
      page: 1,
      per_page: 20,
      page_count: 1,
    })
  })

  it('returns an empty page past the end', async () => {
    const { status, body } = await list('?page=1000000&per_page=1000')
    expect(status).toBe(200)
    expect(body).toEqual({
      data: [],
      pagination: { total: 5, page: 1_000_000, per_page: 1000, page_count: 1 },
    })
  })

  it('returns an empty list without paging', async () => {
    const page = (await list('?search_by_name=nowhere&page=1')).body
    expect(page).toEqual({ data: [], pagination: { total: 0, page: 1, per_page: 20, page_count: 0 } })
    expect((await list('?search_by_name=nowhere')).body).toEqual([])
  })

  it('searches part of the name literally, case-sensitive by default', async () => {
    expect(await listNames('?search_by_name=amma')).toEqual(['Gamma'])
    expect(await listNames('?search_by_name=gamma')).toEqual([])
    expect(await listNames('?search_by_name=GAMMA&case_sensitive=false')).toEqual(['Gamma'])
    expect(await listNames('?search_by_name=gamma&case_sensitive=true')).toEqual([])
    expect(await listNames('?search_by_name=_')).toEqual(['a_b'])
    expect(await listNames('?search_by_name=%25')).toEqual([])
    expect(await listNames('?search_by_name=_&case_sensitive=false')).toEqual(['a_b'])
    expect(await listNames('?search_by_name=%25&case_sensitive=false')).toEqual([])
    const page = (await list('?search_by_name=a&per_page=1')).body
    expect(page.pagination).toMatchObject({ total: 5, page_count: 5 })
  })

  it('sorts by name and by latest activity, in both directions', async () => {
    const byName = await listNames('')
    expect(await listNames('?sort_direction=desc')).toEqual(byName.toReversed())
    const byActivity = ['alpha', 'Gamma', 'a_b', 'axb', 'beta']
    expect(await listNames('?sort=latest_activity')).toEqual(byActivity)
    expect(await listNames('?sort=latest_activity&sort_direction=desc')).toEqual(byActivity.toReversed())
    const page = (await list('?sort=latest_activity&sort_direction=desc&page=2&per_page=2')).body
    expect(getNames(page.data)).toEqual(['a_b', 'Gamma'])
  })

  it('filters by tags, each a key or a key and its value, of which one must match', async () => {
    await app.member.patch('/tags/acme/flow/alpha', { set_tags: { team: 'blue', odd: 'a:b' } })
    await app.member.patch('/tags/acme/flow/beta', { set_tags: { team: 'red' } })
    expect(await listNames('?tag=team')).toEqual(['alpha', 'beta'])
    expect(await listNames('?tag=team:red')).toEqual(['beta'])
    expect(await listNames('?tag=odd:a:b')).toEqual(['alpha'])
    expect(await listNames('?tag=odd&tag=team:red')).toEqual(['alpha', 'beta'])
    expect(await listNames('?tag=team&search_by_name=bet')).toEqual(['beta'])
    expect(await listNames('?tag=')).toEqual([])
    expect((await list('?tag=team&per_page=1')).body.pagination.total).toBe(2)
    for (const name of ['alpha', 'beta'])
      await app.member.patch(`/tags/acme/flow/${name}`, { remove_tags: ['team', 'odd'] })
  })

  it('finds no flow in a space', async () => {
    expect((await list('?space_id=one&space_id=two')).body).toEqual([])
  })

  it('makes the same number of database round trips whatever is listed', async () => {
    const recordListWaits = (query: string) => recordWaits(app, () => list(query))
    await list('')
    expect(await recordListWaits('?per_page=1')).toHaveLength(2)
    expect(await recordListWaits('')).toHaveLength(2)
  })
})

describe('400', () => {
  it('refuses an empty search', async () => {
    const { status, body } = await list('?search_by_name=')
    expect(status).toBe(400)
    expect(body).toEqual({ message: 'Empty string is not allowed for flow names.' })
  })

  it.each([
    ['page=0', 'query.page', 'Input should be greater than or equal to 1 [input: 0]'],
    ['page=1000001', 'query.page', 'Input should be less than or equal to 1000000 [input: 1000001]'],
    [
      'page=',
      'query.page',
      'Input should be a valid integer, unable to parse string as an integer [input: ]',
    ],
    [
      'page=one',
      'query.page',
      'Input should be a valid integer, unable to parse string as an integer [input: one]',
    ],
    ['per_page=1001', 'query.per_page', 'Input should be less than or equal to 1000 [input: 1001]'],
    [
      'per_page=1.5',
      'query.per_page',
      'Input should be a valid integer, unable to parse string as an integer [input: 1.5]',
    ],
    ['sort=age', 'query.sort', "Input should be 'name' or 'latest_activity' [input: age]"],
    ['sort_direction=up', 'query.sort_direction', "Input should be 'asc' or 'desc' [input: up]"],
    [
      'case_sensitive=maybe',
      'query.case_sensitive',
      'Input should be a valid boolean, unable to interpret input [input: maybe]',
    ],
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
    const { status, body } = await app.outsider.get('/flows/acme?page=1')
    expect(status).toBe(403)
    expect(body).toEqual({ message: 'Access denied to /api/v2/flows/acme' })
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { addPerson } from '../../../test/people.ts'
import { recordStatements } from '../../../test/statement-log.ts'

/** One member of every role exists from the start. */
const NAMES = ['ada', 'max', 'nina', 'nora', 'rita', 'sam']

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await addPerson(app, 'nora', 'reader')
  await addPerson(app, 'nina', 'member')
  await addPerson(app, 'nobody')
  await app.sql(
    "update users set display_name = 'Nina 100%', email = 'chief@Harbour.example' where name = 'nina'",
  )
})
afterAll(() => app.stop())

const list = (query: string, client = app.reader) => client.get(`/members/acme${query}`)
const getNames = (members: { user: string }[]) => members.map(({ user }) => user)
const listNames = async (query: string, client = app.reader) => getNames((await list(query, client)).body)

describe('200', () => {
  it('returns a plain array of all, by name, with the source of the last change', async () => {
    const { status, body } = await list('', app.admin)
    expect(status).toBe(200)
    expect(getNames(body)).toEqual(NAMES)
    expect(body[2]).toEqual({
      user: 'nina',
      display_name: 'Nina 100%',
      email: 'chief@Harbour.example',
      role: 'member',
      created_at: app.clock.now().getTime() / 1000,
      source: 'script',
    })
    expect((await app.admin.put('/members/acme/nora', { role: 'member' })).status).toBe(200)
    expect((await app.admin.put('/members/acme/nora', { role: 'reader' })).status).toBe(200)
    expect((await list('', app.admin)).body[3]).toMatchObject({ user: 'nora', role: 'reader', source: 'app' })
  })

  it('pages when a page or a page size is requested', async () => {
    const whole = (await list('')).body
    const first = (await list('?per_page=4')).body
    expect(first.pagination).toEqual({ total: 6, page: 1, per_page: 4, page_count: 2 })
    expect(first.data).toEqual(whole.slice(0, 4))
    const second = (await list('?page=2&per_page=4')).body
    expect(second.pagination).toEqual({ total: 6, page: 2, per_page: 4, page_count: 2 })
    expect(second.data).toEqual(whole.slice(4))
    expect((await list('?page=1')).body).toEqual({
      data: whole,
      pagination: { total: 6, page: 1, per_page: 20, page_count: 1 },
    })
  })

  it('returns an empty page past the end', async () => {
    const { status, body } = await list('?page=2&per_page=6')
    expect(status).toBe(200)
    expect(body).toEqual({ data: [], pagination: { total: 6, page: 2, per_page: 6, page_count: 1 } })
  })

  it('lists nobody from other organizations', async () => {
    const theirs = (await app.outsider.get('/members/other-corp?page=1')).body
    expect(getNames(theirs.data)).toEqual(['oscar'])
    expect(theirs.pagination.total).toBe(1)
    expect(await listNames('?search=oscar', app.admin)).toEqual([])
    expect((await list('?search=nobody&page=1', app.admin)).body.pagination.total).toBe(0)
  })

  it('searches part of the name and the display name, case-insensitive and literally', async () => {
    expect(await listNames('?search=NIN')).toEqual(['nina'])
    expect(await listNames('?search=na%201')).toEqual(['nina'])
    expect(await listNames('?search=%25')).toEqual(['nina'])
    expect(await listNames('?search=_')).toEqual([])
    expect(await listNames('?search=n')).toEqual(['nina', 'nora'])
    expect(await listNames('?search=')).toEqual(NAMES)
    const page = (await list('?search=n&page=2&per_page=1')).body
    expect(page.pagination).toEqual({ total: 2, page: 2, per_page: 1, page_count: 2 })
    expect(getNames(page.data)).toEqual(['nora'])
  })

  it('finds members by mail address for admins only', async () => {
    expect(await listNames('?search=harbour.EX', app.admin)).toEqual(['nina'])
    expect((await list('?search=chief%40&page=1', app.admin)).body.pagination.total).toBe(1)
    for (const client of [app.member, app.snapshotter, app.reader]) {
      for (const part of ['chief', 'chief%40Harbour.example', '%40', 'example', 'nora%40example.com']) {
        expect(await listNames(`?search=${part}`, client)).toEqual([])
        const page = (await list(`?search=${part}&page=1`, client)).body
        expect(page).toEqual({ data: [], pagination: { total: 0, page: 1, per_page: 20, page_count: 0 } })
      }
      expect((await list('?search=nina&page=1', client)).text).not.toContain('xample')
    }
  })

  it('refuses visitors who can only read public flows', async () => {
    expect((await app.admin.patch('/organizations/acme', { settings: { public_read: true } })).status).toBe(
      200,
    )
    expect((await list('?search=nina', app.anonymous)).status).toBe(401)
    expect((await list('?search=nina', app.outsider)).status).toBe(403)
    await app.admin.patch('/organizations/acme', { settings: { public_read: false } })
  })

  it('makes the same number of database round trips whatever is listed', async () => {
    const recordListStatements = (query: string) => recordStatements(app, () => list(query))
    // Fills the auth cache.
    await list('')
    const one = await recordListStatements('?per_page=1')
    expect(one.waits).toHaveLength(2)
    expect(await recordListStatements('?page=1&per_page=1000')).toEqual(one)
    expect(await recordListStatements('?page=9&search=n')).toEqual(one)
    expect((await recordListStatements('')).waits).toHaveLength(1)
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
    ['search_by_name=x', 'query.search_by_name', 'Extra inputs are not permitted [input: x]'],
    ['search=a%00b', 'query.search', 'Text contains a NUL character'],
  ])('refuses %s', async (query, path, sentence) => {
    const { status, body } = await list(`?${query}`)
    expect(status).toBe(400)
    expect(body).toEqual({ message: 'Input payload validation failed', errors: { [path]: sentence } })
  })

  it('refuses a search that is longer than any name', async () => {
    const { status, body } = await list(`?search=${'n'.repeat(256)}`)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual(['query.search'])
  })
})

describe('403', () => {
  it('denies an org the caller does not belong to', async () => {
    expect((await app.outsider.get('/members/acme?page=1')).status).toBe(403)
  })
})

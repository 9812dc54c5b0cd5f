import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../test/reports.ts'
import { recordWaits } from '../../../test/statement-log.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const flow of ['ci', 'cd', 'gone']) await makeFlow(app, flow)
  for (const [flow, name] of [
    ['ci', 'one'],
    ['cd', 'elsewhere'],
    ['ci', 'two'],
    ['ci', 'three'],
  ]) {
    app.clock.advance(1000)
    await app.member.put(`/trails/acme/${flow}`, { name })
  }
  await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('a'), nameTrail('two')))
  await app.member.put('/flows/acme/gone/archive', null)
})
afterAll(() => app.stop())

const list = (query = '', flow = 'ci') => app.reader.get(`/trails/acme/${flow}${query}`)
const getNames = (trails: { name: string }[]) => trails.map(({ name }) => name)

describe('200', () => {
  it('is a plain array of the trails of the flow, newest first, with the same fields as the list of the organization', async () => {
    const { status, body, headers } = await list()
    expect(status).toBe(200)
    expect(getNames(body)).toEqual(['three', 'two', 'one'])
    expect(body).toEqual((await app.reader.get('/trails/acme?flow=ci')).body.data)
    expect(headers['x-total-count']).toBe('3')
  })

  it('is an envelope if a page is requested', async () => {
    const { body } = await list('?page=2&per_page=2')
    expect(getNames(body.data)).toEqual(['one'])
    expect(body.pagination).toEqual({ total: 3, page: 2, per_page: 2, page_count: 2 })
    expect((await list('?page=9')).body).toMatchObject({ data: [], pagination: { total: 3, per_page: 20 } })
  })

  it.each([
    [`?fingerprint=${makeFingerprint('a')}`, ['two']],
    ['?fingerprint=unknown', []],
    ['?search_by_name=thr', ['three']],
  ])('accepts %s', async (query, names) => expect(getNames((await list(query)).body)).toEqual(names))

  it('finds a flow by a former name', async () => {
    await app.member.put('/flows/acme/cd/rename', { new_name: 'delivery' })
    expect(getNames((await list('', 'cd')).body)).toEqual(['elsewhere'])
  })

  it('takes the same number of round trips whatever there is', async () => {
    await list()
    expect(await recordWaits(app, () => list())).toHaveLength(
      (await recordWaits(app, () => list('', 'cd'))).length,
    )
  })
})

describe('400', () => {
  it.each([
    ['?page=0', 'query.page'],
    ['?per_page=1001', 'query.per_page'],
    ['?flow=ci', 'query.flow'],
  ])('refuses %s', async (query, field) => {
    const { status, body } = await list(query)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual([field])
  })
})

describe('403', () => {
  it('for callers outside the organization', async () =>
    expect((await app.outsider.get('/trails/acme/ci')).status).toBe(403))
})

describe('404', () => {
  it.each([
    ['nowhere', 'does not exist'],
    ['gone', 'has been archived'],
  ])('names the flow %s', async (flow, what) => {
    const { status, body } = await list('', flow)
    expect(status).toBe(404)
    expect(body).toEqual({ message: `Flow named '${flow}' ${what} for organization 'acme'` })
  })
})

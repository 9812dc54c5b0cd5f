import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeFlow } from '../../../test/reports.ts'
import { recordWaits } from '../../../test/statement-log.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const flow of ['ci', 'cd', 'gone']) {
    await makeFlow(app, flow)
    await app.member.put(`/trails/acme/${flow}`, { name: 'run' })
  }
  for (const [flow, name] of [
    ['ci', 'one'],
    ['cd', 'elsewhere'],
    ['ci', 'two'],
    ['ci', 'three'],
    ['gone', 'hidden'],
  ]) {
    const body = { attestation_name: name, is_compliant: name !== 'two' }
    await app.member.post(`/attestations/acme/${flow}/trail/run/generic`, body)
    app.clock.advance(1000)
  }
  await app.admin.put('/flows/acme/gone/archive')
})
afterAll(() => app.stop())

const list = (query = '', flow = 'ci') => app.reader.get(`/attestations/acme/${flow}${query}`)
const getNames = (body: { data: { attestation_name: string }[] }) =>
  body.data.map(({ attestation_name }) => attestation_name)

describe('200', () => {
  it('lists the attestations of the flow, newest first, like the list of the organization', async () => {
    const { status, body } = await list()
    expect(status).toBe(200)
    expect(getNames(body)).toEqual(['three', 'two', 'one'])
    expect(body).toEqual((await app.reader.get('/attestations/acme?flow=ci')).body)
  })

  it.each([
    ['?is_compliant=false', ['two']],
    ['?name=one', ['one']],
    ['?name_regex=^t', ['three', 'two']],
    ['?type=junit', []],
  ])('filters by %s', async (query, names) => expect(getNames((await list(query)).body)).toEqual(names))

  it('is paged by cursor', async () => {
    const first = (await list('?per_page=2')).body
    expect(getNames(first)).toEqual(['three', 'two'])
    const second = (await list(`?per_page=2&after=${first.pagination.after}`)).body
    expect(getNames(second)).toEqual(['one'])
    expect(second.pagination).toEqual({ per_page: 2, after: null })
  })

  it('is paged by number, with the total', async () => {
    const first = (await list('?per_page=2')).body
    const { after } = first.pagination
    expect(first.pagination).toEqual({ page: 1, per_page: 2, page_count: 2, total: 3, after })
    const second = (await list('?page=2&per_page=2')).body
    expect(getNames(second)).toEqual(['one'])
    expect(second.pagination).toEqual({ page: 2, per_page: 2, page_count: 2, total: 3, after: null })
    expect((await list('?page=3&per_page=2')).body).toMatchObject({ data: [], pagination: { total: 3 } })
    const all = (await list('?page=1')).body
    expect(getNames(all)).toEqual(['three', 'two', 'one'])
    expect(all.pagination).toMatchObject({ per_page: 20, page_count: 1 })
    expect((await list('?page=1&name=nothing')).body).toMatchObject({
      data: [],
      pagination: { page_count: 0 },
    })
    expect((await list('?page=1&is_compliant=false')).body.pagination).toMatchObject({ total: 1 })
    expect((await list('?per_page=1&name_regex=^t')).body.pagination).toEqual({
      per_page: 1,
      after: expect.any(String),
    })
  })

  it('follows a flow to its new name', async () => {
    await app.member.put('/flows/acme/cd/rename', { new_name: 'delivery' })
    expect(getNames((await list('', 'cd')).body)).toEqual(['elsewhere'])
  })

  it('waits for the database equally often, whatever it lists', async () => {
    await list()
    expect(await recordWaits(app, () => list())).toHaveLength(
      (await recordWaits(app, () => list('', 'cd'))).length,
    )
  })
})

describe('400', () => {
  it.each([
    ['?after=nowhere', 'query.after'],
    ['?name_regex=(', 'query.name_regex'],
    ['?page=0', 'query.page'],
    ['?page=1&after=00000000-0000-7000-8000-00000000', 'query.page'],
    ['?page=1&name_regex=^t', 'query.page'],
    ['?per_page=0', 'query.per_page'],
    ['?flow=ci', 'query.flow'],
  ])('refuses %s', async (query, field) => {
    const { status, body } = await list(query)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual([field])
  })
})

describe('403', () => {
  it('denies an org the caller does not belong to', async () => {
    expect((await app.outsider.get('/attestations/acme/ci')).status).toBe(403)
  })
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

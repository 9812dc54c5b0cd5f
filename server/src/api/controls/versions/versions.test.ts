import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addControl } from '../../../../test/controls.ts'
import { BASE_URL, startTestApp, type TestApp } from '../../../../test/harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await addControl(app, 'C1', { name: 'name 1' })
  for (const name of ['name 2', 'name 3', 'name 4', 'name 5'])
    await app.admin.put('/controls/acme/C1', { name })
  await addControl(app, 'C2')
})
afterAll(() => app.stop())

const versions = (query = '') => app.reader.get(`/controls/acme/C1/versions${query}`)
const getNumbers = (body: { versions: { version: number }[] }) => body.versions.map(({ version }) => version)

describe('200', () => {
  it('lists newest first, in pages', async () => {
    const url = `${BASE_URL}/api/v2/controls/acme/C1/versions`
    const { status, body } = await versions('?page=2&per_page=2')
    expect(status).toBe(200)
    expect(getNumbers(body)).toEqual([3, 2])
    expect(body).toMatchObject({ page: 2, per_page: 2, total_pages: 3, total_count: 5 })
    expect(body._links.next).toEqual({ href: `${url}?page=3&per_page=2` })
    expect(getNumbers((await versions('?page=3&per_page=2')).body)).toEqual([1])
    expect(getNumbers((await versions('?page=4&per_page=2')).body)).toEqual([])
    expect(getNumbers((await versions('?page=1000000&per_page=100')).body)).toEqual([])
    expect(getNumbers((await versions()).body)).toEqual([5, 4, 3, 2, 1])
  })

  it('lists oldest first on request, in pages', async () => {
    expect(getNumbers((await versions('?sort_direction=asc')).body)).toEqual([1, 2, 3, 4, 5])
    const { body } = await versions('?sort_direction=asc&page=2&per_page=2')
    expect(getNumbers(body)).toEqual([3, 4])
    expect(body._links.next.href).toContain('sort_direction=asc&page=3&per_page=2')
    expect(getNumbers((await versions('?sort_direction=asc&page=3&per_page=2')).body)).toEqual([5])
    expect(getNumbers((await versions('?sort_direction=asc&page=4&per_page=2')).body)).toEqual([])
    expect(getNumbers((await versions('?sort_direction=desc&per_page=1')).body)).toEqual([5])
  })

  it('returns one version as in the list', async () => {
    const all = (await versions()).body.versions
    for (const version of all) {
      expect((await app.reader.get(`/controls/acme/C1/versions/${version.version}`)).body).toEqual(version)
    }
    expect(all[2]).toMatchObject({ version: 3, kind: 'Edited', name: 'name 3' })
  })
})

describe('400', () => {
  it('refuses an unknown direction', async () => {
    const { status, body } = await versions('?sort_direction=up')
    expect([status, Object.keys(body.errors)]).toEqual([400, ['query.sort_direction']])
  })

  it.each(['0', 'x', '1.5'])('refuses the version %s', async version => {
    expect((await app.reader.get(`/controls/acme/C1/versions/${version}`)).status).toBe(400)
  })
})

describe('404', () => {
  it.each(['2', '9007199254740991'])('names the version %s that does not exist', async version => {
    const { status, body } = await app.reader.get(`/controls/acme/C2/versions/${version}`)
    expect([status, body]).toEqual([404, { message: `Version ${version} does not exist for control 'C2'` }])
  })

  it.each(['', '/1'])('names the control and the org%s', async rest => {
    const { status, body } = await app.reader.get(`/controls/acme/nothing/versions${rest}`)
    expect([status, body]).toEqual([404, { message: "Control 'nothing' does not exist in org 'acme'" }])
  })
})

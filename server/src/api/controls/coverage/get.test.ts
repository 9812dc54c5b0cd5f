import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addControl, buildControlPolicy } from '../../../../test/controls.ts'
import { attach, makeEnvironment, putPolicy } from '../../../../test/environments.ts'
import { BASE_URL, type TestApp, startTestApp } from '../../../../test/harness.ts'
import { recordWaits } from '../../../../test/statement-log.ts'

const ENVIRONMENTS = ['prod-eu', 'prod-us', 'Staging']

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const identifier of ['C1', 'C2', 'C3', 'C4'])
    await addControl(app, identifier, { name: `name of ${identifier}` })
  for (const name of ENVIRONMENTS) await makeEnvironment(app, name)
  await makeEnvironment(app, 'gone')
  await app.member.put('/environments/acme', {
    name: 'all',
    type: 'logical',
    included_environments: ['prod-eu'],
  })
  await putPolicy(app, 'first', buildControlPolicy('C1', 'C1', 'C2'))
  await putPolicy(app, 'second', buildControlPolicy('C1'))
  await putPolicy(app, 'nothing', '_schema: https://waybill.example/v1\n')
  await putPolicy(app, 'lonely', buildControlPolicy('C3'))
  await attach(app, 'prod-eu', 'second', 'first', 'nothing')
  await attach(app, 'prod-us', 'second')
  await attach(app, 'Staging', 'nothing')
  await attach(app, 'gone', 'first', 'second')
  await app.member.put('/environments/acme/gone/archive', null)
  await app.admin.post('/controls/acme/C4/archive', null)
})
afterAll(() => app.stop())

async function readCoverage(identifier: string, query = '') {
  const { status, body } = await app.reader.get(`/controls/acme/${identifier}/coverage${query}`)
  expect(status).toBe(200)
  return body
}
const makeCovered = (name: string, ...policies: string[]) => ({
  name,
  type: 'K8S',
  covered: policies.length > 0,
  policies,
})

describe('200 of one control', () => {
  it('lists for each environment the policies that require it, without archived and logical ones', async () => {
    const body = await readCoverage('C1')
    const url = `${BASE_URL}/api/v2/controls/acme/C1/coverage`
    expect(body).toMatchObject({
      total: 3,
      covered: 2,
      coverage_percent: 66.7,
      page: 1,
      per_page: 15,
      total_pages: 1,
      total_count: 3,
      _links: { self: { href: url } },
    })
    expect(Object.fromEntries(body.environments.map((one: { name: string }) => [one.name, one]))).toEqual({
      'prod-eu': makeCovered('prod-eu', 'first', 'second'),
      'prod-us': makeCovered('prod-us', 'second'),
      Staging: makeCovered('Staging'),
    })
  })

  it.each<[string, string[], number]>([
    ['?search=PROD', ['prod-eu', 'prod-us'], 2],
    ['?search=', ENVIRONMENTS, 3],
    ['?search=%25', [], 0],
    ['?covered=true', ['prod-eu', 'prod-us'], 2],
    ['?covered=false', ['Staging'], 1],
    ['?covered=true&search=us', ['prod-us'], 1],
    ['?covered=false&search=us', [], 0],
    ['?page=9', [], 3],
  ])('counts all environments whatever the filter: %s', async (query, names, total_count) => {
    const body = await readCoverage('C1', query)
    expect(body.environments.map(({ name }: { name: string }) => name).toSorted()).toEqual(names.toSorted())
    expect(body).toMatchObject({ total: 3, covered: 2, coverage_percent: 66.7, total_count })
  })

  it('pages without gaps', async () => {
    const all = (await readCoverage('C1')).environments
    const pages = await Promise.all([1, 2, 3].map(page => readCoverage('C1', `?per_page=1&page=${page}`)))
    expect(pages.flatMap(({ environments }) => environments)).toEqual(all)
    expect(pages[0]).toMatchObject({ per_page: 1, total_pages: 3 })
  })

  it.each([
    ['C2', 1, 33.3],
    ['C3', 0, 0],
    ['C4', 0, 0],
  ])('of %s is %s of 3', async (identifier, count, percent) => {
    expect(await readCoverage(identifier)).toMatchObject({
      total: 3,
      covered: count,
      coverage_percent: percent,
    })
  })

  it('uses the latest version and the current attachments', async () => {
    await putPolicy(app, 'changing', buildControlPolicy('C3'))
    await attach(app, 'Staging', 'changing')
    expect((await readCoverage('C3')).covered).toBe(1)
    await putPolicy(app, 'changing', buildControlPolicy('C2'))
    expect((await readCoverage('C3')).covered).toBe(0)
    await putPolicy(app, 'changing', buildControlPolicy('C3'))
    expect((await readCoverage('C3')).covered).toBe(1)
    await app.member.delete('/environments/acme/Staging/policies', { policy_names: ['changing'] })
    expect((await readCoverage('C3')).covered).toBe(0)
  })

  it('lists what policies still require of an archived control', async () => {
    await addControl(app, 'past')
    await putPolicy(app, 'of-past', buildControlPolicy('past'))
    await attach(app, 'Staging', 'of-past')
    await app.admin.post('/controls/acme/past/archive', null)
    expect((await readCoverage('past')).covered).toBe(1)
    await app.member.delete('/environments/acme/Staging/policies', { policy_names: ['of-past'] })
  })

  it('is empty when there is nothing', async () => {
    await app.outsider.post('/controls/other-corp', { identifier: 'C1', name: 'theirs' })
    const { body } = await app.outsider.get('/controls/other-corp/C1/coverage')
    expect(body).toMatchObject({
      total: 0,
      covered: 0,
      coverage_percent: 0,
      environments: [],
      total_pages: 0,
    })
  })

  it('is one wait for the database', async () => {
    await readCoverage('C1')
    expect(await recordWaits(app, () => readCoverage('C1', '?covered=true'))).toHaveLength(1)
  })
})

describe('200 of all controls', () => {
  async function readMatrix(query = '') {
    const { status, body } = await app.reader.get(`/control-coverage/acme${query}`)
    expect(status).toBe(200)
    return body
  }

  it('lists where each active control is required', async () => {
    const body = await readMatrix()
    expect(body).toMatchObject({ page: 1, per_page: 500, total_pages: 1, total_count: 3 })
    expect(body.environments.toSorted()).toEqual(ENVIRONMENTS.toSorted())
    expect(body.controls).toEqual([
      { identifier: 'C1', name: 'name of C1', covered: ['prod-eu', 'prod-us'] },
      { identifier: 'C2', name: 'name of C2', covered: ['prod-eu'] },
      { identifier: 'C3', name: 'name of C3', covered: [] },
    ])
  })

  it('agrees with the coverage of each control', async () => {
    for (const { identifier, covered: names } of (await readMatrix()).controls) {
      const { environments } = await readCoverage(identifier, '?covered=true')
      expect(environments.map(({ name }: { name: string }) => name)).toEqual(names)
    }
  })

  it('is paged', async () => {
    const pages = await Promise.all([1, 2, 3].map(page => readMatrix(`?per_page=2&page=${page}`)))
    expect(pages.map(({ controls }) => controls.length)).toEqual([2, 1, 0])
    expect(pages[1]).toMatchObject({ total_pages: 2, total_count: 3, controls: [{ identifier: 'C3' }] })
    expect(pages[2].environments).toHaveLength(3)
  })

  it('refuses a page of more than 500', async () => {
    expect((await app.reader.get('/control-coverage/acme?per_page=501')).status).toBe(400)
  })
})

describe('400', () => {
  it.each(['covered=maybe', 'per_page=101', 'page=0'])('refuses %s', async query => {
    expect((await app.reader.get(`/controls/acme/C1/coverage?${query}`)).status).toBe(400)
  })
})

describe('404', () => {
  it('names the control and the org', async () => {
    const { status, body } = await app.reader.get('/controls/acme/nothing/coverage')
    expect([status, body]).toEqual([404, { message: "Control 'nothing' does not exist in org 'acme'" }])
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../test/reports.ts'
import { countRowsRead } from '../../../test/rows-read.ts'
import { recordWaits } from '../../../test/statement-log.ts'

const COUNT = 18
const makeNumberedFingerprint = (i: number) => makeFingerprint(String(i).padStart(5, '0'))

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const flow of ['ci', 'cd', 'gone', 'empty']) await makeFlow(app, flow)
  for (let i = 0; i < COUNT; i++) {
    await app.member.post(
      `/artifacts/acme/${i % 2 ? 'cd' : 'ci'}`,
      makeBuild(makeNumberedFingerprint(i), i < 9 ? nameTrail('run') : {}),
    )
  }
  await app.member.post('/artifacts/acme/gone', makeBuild(makeFingerprint('e'), nameTrail('run')))
  await app.admin.put('/flows/acme/gone/archive')
})
afterAll(() => app.stop())

const list = (query = '') => app.reader.get(`/artifacts/acme${query}`)
const listNumbers = async (query = '') =>
  (await list(query)).body.map(({ fingerprint }: { fingerprint: string }) => Number(fingerprint.slice(0, 5)))
const countDown = (from: number, count: number, by = 1) =>
  Array.from({ length: count }, (_, i) => from - i * by)

describe('200', () => {
  it('returns a plain array with the newest fifteen', async () => {
    const { status, body } = await list()
    expect(status).toBe(200)
    expect(Array.isArray(body)).toBe(true)
    expect(await listNumbers()).toEqual(countDown(COUNT - 1, 15))
    const { body: alone } = await app.reader.get(
      `/artifacts/acme/cd/fingerprint/${makeNumberedFingerprint(COUNT - 1)}`,
    )
    expect(body[0]).toEqual(alone)
  })

  it.each([
    ['?page=2', countDown(2, 3)],
    ['?page=3', []],
    ['?per_page=4', countDown(17, 4)],
    ['?per_page=4&page=5', [1, 0]],
    ['?per_page=1000', countDown(17, COUNT)],
    ['?flow_name=ci', countDown(16, 9, 2)],
    ['?flow_name=cd&per_page=2&page=2', [13, 11]],
    ['?flow_name=empty', []],
    ['?repo_name=', countDown(17, 15)],
  ])('lists %s', async (query, expected) => {
    expect(await listNumbers(query)).toEqual(expected)
  })

  it('leaves out artifacts of archived flows and of other organizations', async () => {
    const { body } = await list('?per_page=1000')
    expect(new Set(body.map(({ flow_name }: { flow_name: string }) => flow_name))).toEqual(
      new Set(['ci', 'cd']),
    )
    expect((await app.outsider.get('/artifacts/other-corp')).body).toEqual([])
  })

  it('sends the same number of statements whatever it lists', async () => {
    await list()
    expect(await recordWaits(app, () => list('?per_page=1'))).toEqual(
      await recordWaits(app, () => list('?per_page=1000')),
    )
  })
})

describe('400', () => {
  it.each([
    ['flow_name=', 'flow_name', "String should match pattern '^[a-zA-Z0-9][a-zA-Z0-9\\.\\-_~]*$' [input: ]"],
    ['page=0', 'page', 'Input should be greater than or equal to 1 [input: 0]'],
    ['per_page=1001', 'per_page', 'Input should be less than or equal to 1000 [input: 1001]'],
    ['sort=name', 'sort', 'Extra inputs are not permitted [input: name]'],
    ['search_by_name=', 'search_by_name', 'String should have at least 1 character [input: ]'],
    [
      `search_by_name=${'a'.repeat(201)}`,
      'search_by_name',
      `String should have at most 200 characters [input: ${'a'.repeat(100)}…]`,
    ],
  ])('refuses %s', async (query, name, sentence) => {
    const { status, body } = await list(`?${query}`)
    expect(status).toBe(400)
    expect(body).toEqual({
      message: 'Input payload validation failed',
      errors: { [`query.${name}`]: sentence },
    })
  })
})

describe('403', () => {
  it('denies an org the caller does not belong to', async () => {
    const { status, body } = await app.outsider.get('/artifacts/acme')
    expect(status).toBe(403)
    expect(body).toEqual({ message: 'Access denied to /api/v2/artifacts/acme' })
  })
})

describe('404', () => {
  it.each([
    ['nothing', 'does not exist'],
    ['gone', 'has been archived'],
  ])('names the flow %s', async (flow, what) => {
    const { status, body } = await list(`?flow_name=${flow}`)
    expect(status).toBe(404)
    expect(body).toEqual({ message: `Flow named '${flow}' ${what} for organization 'acme'` })
  })
  it('names the repository', async () => {
    const { status, body } = await list('?repo_name=nothing')
    expect(status).toBe(404)
    expect(body.message).toMatch(/^Repo 'nothing' not found/)
  })
})

describe('state', () => {
  beforeAll(async () => {
    const template =
      'version: 1\ntrail:\n  artifacts:\n    - name: image\n      attestations:\n        - {name: a, type: generic}\n'
    await makeFlow(app, 'evaluated', template)
    for (const [i, is_compliant] of [
      [31, true],
      [32, false],
      [33, undefined],
    ] as const) {
      await app.member.post(
        '/artifacts/acme/evaluated',
        makeBuild(makeNumberedFingerprint(i), nameTrail(`run-${i}`)),
      )
      const attestation = {
        attestation_name: 'a',
        artifact_fingerprint: makeNumberedFingerprint(i),
        is_compliant,
      }
      if (is_compliant !== undefined)
        await app.member.post(`/attestations/acme/evaluated/trail/run-${i}/generic`, attestation)
    }
  })

  it.each([
    ['?state=NON-COMPLIANT', [32]],
    ['?state=INCOMPLETE', [33]],
    ['?state=COMPLIANT&flow_name=evaluated', [31]],
    ['?state=COMPLIANT&per_page=2', [31, 17]],
    ['?state=NON-COMPLIANT&flow_name=ci', []],
    ['?state=NON-COMPLIANT&search_by_name=image', [32]],
    ['?state=INCOMPLETE&search_by_name=nothing', []],
  ])('lists %s', async (query, expected) => {
    expect(await listNumbers(query)).toEqual(expected)
  })

  it('is found without reading artifacts in other states', async () => {
    await app.sql(`
      insert into artifacts
      select (jsonb_populate_record(a, jsonb_build_object(
        'artifact_id', 'fffffff0-0000-7000-8000-' || lpad(n::text, 12, '0'),
        'fingerprint', lpad(n::text, 64, 'f'), 'filename', 'many'))).*
      from artifacts a, generate_series(1, 5000) n where a.fingerprint = '${makeNumberedFingerprint(31)}'`)
    await app.sql('analyze artifacts')
    const [org] = await app.sql("select org_id from orgs where name = 'acme'")
    const params = { org_id: org?.org_id, archived: false, state: 'NON-COMPLIANT', limit: 16, offset: 0 }
    const scope = { org: String(org?.org_id) }
    const run = { statement: 'artifacts.list_by_state', params, scope, table: 'artifacts' }
    expect(await countRowsRead(app, run)).toBeLessThan(50)
    await app.sql("delete from artifacts where filename = 'many'")
  })

  it('is listed without reading every artifact in that state, also in a small organization', async () => {
    const [org] = await app.sql("select org_id from orgs where name = 'acme'")
    await app.sql(`
      insert into artifacts
      select (jsonb_populate_record(a, jsonb_build_object(
        'artifact_id', 'fffffff0-0000-7000-8000-' || lpad(n::text, 12, '0'),
        'fingerprint', lpad(n::text, 64, 'f'), 'filename', 'many'))).*
      from artifacts a, generate_series(1, 2000) n where a.fingerprint = '${makeNumberedFingerprint(31)}'`)
    // Looking up where each artifact runs makes the plan for these values seem expensive.
    await app.sql(
      `insert into environments (org_id, environment_id, name, type, description, created_by, created_at, last_modified_at)
       select $1, gen_random_uuid(), 'place-' || n, 'K8S', '', 'x', now(), now() from generate_series(1, 100) n`,
      [org?.org_id],
    )
    await app.sql('analyze artifacts, environments')
    const [found] = await app.sql("select state from artifacts where filename = 'many' limit 1")
    const params = { org_id: org?.org_id, archived: false, state: found?.state, limit: 16, offset: 0 }
    const run = { statement: 'artifacts.list_by_state', params, table: 'artifacts' }
    expect(await countRowsRead(app, { ...run, scope: { org: String(org?.org_id) } })).toBeLessThan(50)
    await app.sql("delete from artifacts where filename = 'many'")
    await app.sql("delete from environments where name like 'place-%'")
  })

  it('must be one of the three states', async () => {
    const { status, body } = await list('?state=good')
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual(['query.state'])
  })
})

describe('search_by_name', () => {
  const buildNamed = (i: number, filename: string, more = {}) => ({
    ...makeBuild(makeNumberedFingerprint(i), more),
    filename,
  })
  const findNumbers = (part: string, more = '') =>
    listNumbers(`?search_by_name=${encodeURIComponent(part)}${more}`)

  beforeAll(async () => {
    for (const flow of ['images', 'attic']) await makeFlow(app, flow)
    await app.member.post(
      '/artifacts/acme/images',
      buildNamed(50, 'registry.example:5000/Team/payments-api:1.2', nameTrail('run')),
    )
    await app.member.post(
      '/artifacts/acme/images',
      buildNamed(51, 'registry.example:5000/team/web:100%_done', nameTrail('run')),
    )
    // A report without a trail.
    await app.member.post('/artifacts/acme/cd', buildNamed(52, 'payments.jar'))
    await app.member.post('/artifacts/acme/attic', buildNamed(53, 'payments-old', nameTrail('run')))
    await app.admin.put('/flows/acme/attic/archive')
    await app.outsider.put('/flows/other-corp', { name: 'images', description: '' })
    await app.outsider.post(
      '/artifacts/other-corp/images',
      buildNamed(54, 'payments-foreign', nameTrail('run')),
    )
  })

  it.each([
    ['payments', [52, 50]],
    ['PAYMENTS-', [50]],
    ['team/', [51, 50]],
    ['registry.example:5000/team/payments-api:1.2', [50]],
    ['/team/w', [51]],
    ['5000', [51, 50]],
    ['100%_', [51]],
    ['jar', [52]],
    ['100_', []],
    ['%', []],
    ['old', []],
    ['foreign', []],
    ['ayments', []],
  ])('finds by %j', async (part, expected) => {
    expect(await findNumbers(part)).toEqual(expected)
  })

  it('is paged and combines with the other filters', async () => {
    expect(await findNumbers('payments', '&per_page=1&page=2')).toEqual([50])
    expect(await findNumbers('payments', '&flow_name=cd')).toEqual([52])
    expect(await findNumbers('payments', '&flow_name=empty')).toEqual([])
  })

  it('finds an artifact by the file name it was last reported with', async () => {
    await app.member.post('/artifacts/acme/images', buildNamed(60, 'before:1', nameTrail('again')))
    expect(await findNumbers('before')).toEqual([60])
    await app.member.post('/artifacts/acme/images', buildNamed(60, 'after:1', nameTrail('again')))
    expect(await findNumbers('after')).toEqual([60])
    expect(await findNumbers('before')).toEqual([])
  })

  it('finds a trail that began with the report of an artifact', async () => {
    await app.member.post('/artifacts/acme/images', buildNamed(61, 'any', nameTrail('begun-by-it')))
    const { body } = await app.reader.get('/trails/acme?search_by_name=by-it')
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['begun-by-it'])
  })

  it('sends as many statements as without a search', async () => {
    await findNumbers('payments')
    const withoutSearch = await recordWaits(app, () => list())
    expect(await recordWaits(app, () => list('?search_by_name=payments'))).toHaveLength(withoutSearch.length)
  })
})

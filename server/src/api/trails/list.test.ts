import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../test/reports.ts'
import { countRowsRead } from '../../../test/rows-read.ts'
import { recordWaits } from '../../../test/statement-log.ts'

const EMPTY = { data: [], pagination: { total: 0, page: 1, per_page: 20, page_count: 0 } }

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const name of ['ci', 'cd', 'gone']) await app.member.put('/flows/acme', { name, description: '' })
  await app.outsider.put('/flows/other-corp', { name: 'ci', description: '' })
  await app.outsider.put('/trails/other-corp/ci', { name: 'foreign' })
  for (const [flow, name] of [
    ['ci', 'one'],
    ['cd', 'two'],
    ['gone', 'hidden'],
    ['ci', 'three'],
    ['ci', 'four'],
  ]) {
    app.clock.advance(1000)
    await app.member.put(`/trails/acme/${flow}`, { name, description: `about ${name}` })
  }
  await app.member.patch('/tags/acme/flow/ci', { set_tags: { team: 'blue', empty: '', formula: 'a=b' } })
  await app.member.put('/flows/acme/gone/archive', null)
})
afterAll(() => app.stop())

const list = (query: string) => app.reader.get(`/trails/acme${query}`)
const getNames = (body: { data: { name: string }[] }) => body.data.map(({ name }) => name)
const listNames = async (query: string) => getNames((await list(query)).body)

describe('200', () => {
  it('returns the trails of the org, newest first, without trails of archived flows', async () => {
    const { status, body } = await list('')
    expect(status).toBe(200)
    expect(getNames(body)).toEqual(['four', 'three', 'two', 'one'])
    expect(body.pagination).toEqual({ total: 4, page: 1, per_page: 20, page_count: 1 })
  })

  it('keeps the order when an old trail is reported again', async () => {
    await app.member.put('/trails/acme/ci', { name: 'one', description: 'about one' })
    expect(await listNames('')).toEqual(['four', 'three', 'two', 'one'])
  })

  it('returns each trail with the fields of GET, without the details', async () => {
    const { body } = await list('?flow=cd')
    const { compliance_status, repo_ids, template, flow, events, events_count, ...summary } = (
      await app.reader.get('/trails/acme/cd/two')
    ).body
    expect(body.data).toEqual([summary])
    expect(summary).toMatchObject({
      name: 'two',
      flow_name: 'cd',
      description: 'about two',
      compliance_state: 'COMPLIANT',
      is_compliant: true,
      created_by: 'max',
      html_url: 'http://waybill.test/acme/flows/cd/trails/two',
    })
  })

  it('pages', async () => {
    const { body } = await list('?page=2&per_page=3')
    expect(getNames(body)).toEqual(['one'])
    expect(body.pagination).toEqual({ total: 4, page: 2, per_page: 3, page_count: 2 })
    expect(await listNames('?per_page=1')).toEqual(['four'])
    expect(await listNames('?page=2')).toEqual([])
  })

  it('returns an empty page past the end', async () => {
    const { status, body } = await list('?page=1000000&per_page=1000')
    expect(status).toBe(200)
    expect(body).toEqual({
      data: [],
      pagination: { total: 4, page: 1_000_000, per_page: 1000, page_count: 1 },
    })
  })

  it('filters by flow, including by a former name', async () => {
    expect(await listNames('?flow=ci')).toEqual(['four', 'three', 'one'])
    expect((await list('?flow=ci&per_page=2')).body.pagination.total).toBe(3)
    await app.member.put('/flows/acme', { name: 'former', description: '' })
    await app.member.put('/flows/acme/former/rename', { new_name: 'current' })
    expect((await list('?flow=former')).body).toEqual(EMPTY)
  })

  it('filters by a tag of the flow', async () => {
    expect(await listNames('?flow_tag=team%3Dblue')).toEqual(['four', 'three', 'one'])
    expect(await listNames('?flow_tag=formula%3Da%3Db')).toEqual(['four', 'three', 'one'])
    expect(await listNames('?flow_tag=empty%3D')).toEqual(['four', 'three', 'one'])
    expect(await listNames('?flow_tag=team%3Dblue&flow=cd')).toEqual([])
  })

  it.each(['', 'team', 'empty', 'team%3Dred', 'nothing%3Dblue', '%3D', '%3Dblue'])(
    'finds no trail by the tag %j',
    async tag => {
      expect((await list(`?flow_tag=${tag}`)).body).toEqual(EMPTY)
    },
  )

  it.each(['', 'f'.repeat(64)])('finds no trail with the artifact %j', async fingerprint => {
    expect((await list(`?fingerprint=${fingerprint}`)).body).toEqual(EMPTY)
  })

  it('takes the same number of round trips whatever is listed', async () => {
    const recordListWaits = (query: string) => recordWaits(app, () => list(query))
    await list('')
    expect(await recordListWaits('?per_page=1')).toHaveLength(2)
    expect(await recordListWaits('?per_page=1000')).toHaveLength(2)
  })
})

describe('400', () => {
  it.each([
    ['page=0', 'query.page', 'Input should be greater than or equal to 1 [input: 0]'],
    ['page=1000001', 'query.page', 'Input should be less than or equal to 1000000 [input: 1000001]'],
    [
      'per_page=many',
      'query.per_page',
      'Input should be a valid integer, unable to parse string as an integer [input: many]',
    ],
    ['sort=name', 'query.sort', 'Extra inputs are not permitted [input: name]'],
    ['fingerprint=abcd', 'query.fingerprint', "String should match pattern '^[a-f0-9]{5,64}$' [input: abcd]"],
    ['flow=%00', 'query.flow', 'Text contains a NUL character'],
    ['search_by_name=', 'query.search_by_name', 'String should have at least 1 character [input: ]'],
    [
      `search_by_name=${'a'.repeat(201)}`,
      'query.search_by_name',
      `String should have at most 200 characters [input: ${'a'.repeat(100)}…]`,
    ],
    ['search_by_name=%00', 'query.search_by_name', 'Text contains a NUL character'],
  ])('refuses %s', async (query, path, sentence) => {
    const { status, body } = await list(`?${query}`)
    expect(status).toBe(400)
    expect(body).toEqual({ message: 'Input payload validation failed', errors: { [path]: sentence } })
  })
})

describe('403', () => {
  it('denies an org the caller does not belong to', async () => {
    const { status, body } = await app.outsider.get('/trails/acme?flow=ci')
    expect(status).toBe(403)
    expect(body).toEqual({ message: 'Access denied to /api/v2/trails/acme' })
  })
})

describe('404', () => {
  it.each([
    ['nothing', 'does not exist'],
    ['gone', 'has been archived'],
    ['', 'does not exist'],
  ])('names the flow %j', async (flow, what) => {
    const { status, body } = await list(`?flow=${flow}`)
    expect(status).toBe(404)
    expect(body).toEqual({ message: `Flow named '${flow}' ${what} for organization 'acme'` })
  })
})

describe('fingerprint', () => {
  it('lists the trails that contain the artifact, and none for an unreported one', async () => {
    const fingerprint = 'd'.repeat(64)
    const links = { build_url: 'https://ci.example.com', commit_url: 'https://git.example.com' }
    const artifact = { fingerprint, filename: 'x', trail_name: 'holds-it', ...links }
    await app.member.put('/flows/acme', { name: 'with-artifact', description: '' })
    for (const template_reference_name of ['a', 'b'])
      await app.member.post('/artifacts/acme/with-artifact', { ...artifact, template_reference_name })
    const searchNames = await app.reader.get(`/trails/acme?fingerprint=${fingerprint}`)
    expect(searchNames.body.data.map(({ name }: { name: string }) => name)).toEqual(['holds-it'])
    expect(searchNames.body.pagination.total).toBe(1)
    expect((await app.reader.get(`/trails/acme?fingerprint=${'e'.repeat(64)}`)).body.data).toEqual([])
    expect((await app.reader.get('/trails/acme?fingerprint=')).body.data).toEqual([])
  })

  it('finds them by a prefix, which must be unique', async () => {
    await app.member.put('/flows/acme', { name: 'alike', description: '' })
    for (const [start, trail] of [
      ['c0ffee1', 'first'],
      ['c0ffee2', 'second'],
    ] as const)
      await app.member.post('/artifacts/acme/alike', makeBuild(makeFingerprint(start), nameTrail(trail)))
    expect(await listNames('?fingerprint=c0ffee1')).toEqual(['first'])
    expect(await listNames('?fingerprint=c0ffee1&search_by_name=first')).toEqual(['first'])
    expect(await listNames('?fingerprint=c0ffee2&flow=alike')).toEqual(['second'])
    expect((await list('?fingerprint=c0ffee3')).body).toEqual(EMPTY)
    const { status, body } = await list('?fingerprint=c0ffee')
    expect(status).toBe(400)
    expect(body).toEqual({ message: "Fingerprint 'c0ffee' matches 2 artifacts; use a longer prefix" })
    await app.member.put('/flows/acme', { name: 'alike-too', description: '' })
    await app.member.post(
      '/artifacts/acme/alike-too',
      makeBuild(makeFingerprint('decaf1'), nameTrail('third')),
    )
    await app.member.post('/artifacts/acme/alike', makeBuild(makeFingerprint('decaf2'), nameTrail('second')))
    expect((await list('?fingerprint=decaf')).status).toBe(400)
    expect(await listNames('?fingerprint=decaf&flow=alike-too')).toEqual(['third'])
    await app.member.put('/flows/acme/alike-too/archive')
    expect(await listNames('?fingerprint=decaf')).toEqual(['second'])
  })
})

describe('state, from and to', () => {
  let began: number
  beforeAll(async () => {
    await makeFlow(app, 'timed', 'version: 1\ntrail:\n  attestations:\n    - {name: review, type: generic}\n')
    app.clock.advance(3_600_000)
    began = app.clock.now().getTime() / 1000
    for (const name of ['t-open', 't-good', 't-bad', 't-good-too']) {
      await app.member.put('/trails/acme/timed', { name })
      const is_compliant = name !== 't-bad'
      if (name !== 't-open')
        await app.member.post(`/attestations/acme/timed/trail/${name}/generic`, {
          attestation_name: 'review',
          is_compliant,
        })
      app.clock.advance(60_000)
    }
  })

  it.each([
    ['state=COMPLIANT&flow=timed', ['t-good-too', 't-good']],
    ['state=NON-COMPLIANT', ['t-bad']],
    ['state=INCOMPLETE&flow=timed', ['t-open']],
    ['state=COMPLIANT&search_by_name=too&flow=timed', ['t-good-too']],
    ['state=NON-COMPLIANT&search_by_name=too', []],
    ['state=NON-COMPLIANT&flow=ci', []],
  ])('lists the trails with %s, and counts them', async (query, expected) => {
    const { body } = await list(`?${query}`)
    expect(getNames(body)).toEqual(expected)
    expect(body.pagination.total).toBe(expected.length)
    expect(getNames((await list(`?${query}&per_page=1`)).body)).toEqual(expected.slice(0, 1))
  })

  it.each([
    [(at: number) => `from=${at}`, ['t-good-too', 't-bad', 't-good', 't-open']],
    [(at: number) => `from=${at + 60}&to=${at + 120}`, ['t-bad', 't-good']],
    [(at: number) => `from=${at + 60}&to=${at + 120}&state=COMPLIANT`, ['t-good']],
    [(at: number) => `from=${at + 60}&to=${at + 120}&search_by_name=good`, ['t-good']],
    [(at: number) => `from=${at}&to=${at}&flow=ci`, []],
    [(at: number) => `from=${new Date((at + 180) * 1000).toISOString()}`, ['t-good-too']],
  ])('lists the trails that began then: %s', async (query, expected) => {
    const { body } = await list(`?${query(began)}`)
    expect(getNames(body)).toEqual(expected)
    expect(body.pagination.total).toBe(expected.length)
  })

  it('filters by when a trail began, not by when it changed', async () => {
    app.clock.advance(3_600_000)
    await app.member.put('/trails/acme/timed', { name: 't-open', description: 'changed' })
    expect(await listNames(`?from=${began + 3600}`)).toEqual([])
  })

  it.each([
    ['state=compliant', 'query.state'],
    ['from=yesterday', 'query.from'],
    ['to=2026-02-30', 'query.to'],
    ['from=2&to=1', 'query.from'],
  ])('refuses %s', async (query, field) => {
    const { status, body } = await list(`?${query}`)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual([field])
  })

  it('reads only the rows of the page for a rare state', async () => {
    await app.sql(`
      insert into trails (org_id, trail_id, flow_id, name, description, template_id, compliance_state, evaluated_at,
        created_by, created_at, last_modified_at)
      select t.org_id, ('fffffff0-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, t.flow_id, 'many-' || n, '',
        t.template_id, 'COMPLIANT', now(), 'x', now(), now()
      from trails t, generate_series(1, 5000) n where t.name = 't-bad'`)
    await app.sql('analyze trails')
    const [org] = await app.sql("select org_id from orgs where name = 'acme'")
    const params = {
      org_id: org?.org_id,
      flow_id: null,
      fingerprint: null,
      tag_key: null,
      tag_value: null,
      min_id: '00000000-0000-0000-0000-000000000000',
      end_id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
      from_at: null,
      to_at: null,
      state: 'NON-COMPLIANT',
      limit: 20,
      offset: 0,
    }
    const scope = { org: String(org?.org_id) }
    const run = { statement: 'trails.list_by_state', params, scope, table: 'trails' }
    expect(await countRowsRead(app, run)).toBeLessThan(50)
    await app.sql("delete from trails where name like 'many-%'")
  })
})

describe('search_by_name', () => {
  const LONG = `long-${'x'.repeat(240)}`
  const searchNames = (part: string, more = '') =>
    listNames(`?flow_tag=team%3Dsearch&search_by_name=${encodeURIComponent(part)}${more}`)

  beforeAll(async () => {
    for (const name of ['hay', 'stack', 'attic'])
      await app.member.put('/flows/acme', { name, description: '' })
    for (const flow of ['hay', 'stack', 'attic'])
      await app.member.patch(`/tags/acme/flow/${flow}`, { set_tags: { team: 'search' } })
    for (const [flow, name] of [
      ['hay', 'Release-2026.11-payments_api'],
      ['hay', 'PAY-1234'],
      ['stack', 'pay-12-pay'],
      ['stack', 'axb'],
      ['hay', LONG],
      ['attic', 'pay-hidden'],
    ]) {
      app.clock.advance(1000)
      await app.member.put(`/trails/acme/${flow}`, { name })
    }
    await app.outsider.put('/trails/other-corp/ci', { name: 'pay-foreign' })
    await app.member.put('/flows/acme/attic/archive', null)
  })

  it.each([
    ['rel', ['Release-2026.11-payments_api']],
    ['2026.11', ['Release-2026.11-payments_api']],
    ['payments_a', ['Release-2026.11-payments_api']],
    ['API', ['Release-2026.11-payments_api']],
    ['release-2026.11-payments_api', ['Release-2026.11-payments_api']],
    ['-2026', ['Release-2026.11-payments_api']],
    ['pay', ['pay-12-pay', 'PAY-1234', 'Release-2026.11-payments_api']],
    ['pay-12', ['pay-12-pay', 'PAY-1234']],
    ['1234', ['PAY-1234']],
    [LONG.slice(0, 200), [LONG]],
    [LONG.slice(5, 205), [LONG]],
  ])('finds by %j, newest first and each once', async (part, expected) => {
    expect(await searchNames(part)).toEqual(expected)
  })

  it.each([
    'a%b',
    'a_b',
    'p%',
    '%',
    '_',
    'pay\\',
    "'",
    'pay-1235',
    'foreign',
    'hidden',
    'elease',
    '\u{10ffff}',
  ])('finds nothing by %j', async part => {
    expect(await searchNames(part)).toEqual([])
  })

  it('combines with the other filters', async () => {
    expect(await searchNames('pay', '&flow=stack')).toEqual(['pay-12-pay'])
    expect(await searchNames('pay', `&fingerprint=${'d'.repeat(64)}`)).toEqual([])
    expect(await listNames('?search_by_name=pay&flow_tag=team%3Dblue')).toEqual([])
    expect(await listNames('?search_by_name=HOLDS&flow=with-artifact')).toEqual(['holds-it'])
    expect(await listNames(`?search_by_name=it&fingerprint=${'d'.repeat(64)}`)).toEqual(['holds-it'])
  })

  it('pages, and returns each trail as the list does', async () => {
    const { body } = await list('?search_by_name=pay&per_page=2&page=2')
    expect(getNames(body)).toEqual(['Release-2026.11-payments_api'])
    expect(body.pagination).toEqual({ total: 3, page: 2, per_page: 2, page_count: 2 })
    const all = (await list('?per_page=1000')).body.data
    expect(body.data).toEqual(all.filter(({ name }: { name: string }) => name.startsWith('Release')))
    expect((await list('?search_by_name=pay&page=9')).body.pagination.total).toBe(3)
  })

  it('finds only trails of the org', async () => {
    expect(await listNames('?search_by_name=foreign')).toEqual([])
    expect(getNames((await app.outsider.get('/trails/other-corp?search_by_name=PAY')).body)).toEqual([
      'pay-foreign',
    ])
  })

  it('takes as many round trips as without it', async () => {
    const recordListWaits = (query: string) => recordWaits(app, () => list(query))
    await list('?search_by_name=a')
    expect(await recordListWaits('?search_by_name=pay')).toHaveLength((await recordListWaits('')).length)
  })
})

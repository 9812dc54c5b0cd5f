import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BASE_URL, startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail, SHA, WIRE_ID } from '../../../test/reports.ts'
import { recordWaits } from '../../../test/statement-log.ts'

const DAY_MS = 86_400_000
const makeRepo = (id: string, name: string) => ({
  repo_info: { id, name, url: `https://git.example/${name}` },
})

let app: TestApp
let began: number
beforeAll(async () => {
  app = await startTestApp()
  for (const flow of ['build', 'promote', 'gone']) await makeFlow(app, flow)
  began = app.clock.now().getTime() / 1000
  for (const [flow, start, more] of [
    ['gone', 'f', nameTrail('t')],
    ['build', 'a', { ...nameTrail('t'), ...makeRepo('1', 'acme/backend') }],
    ['build', 'b', { ...nameTrail('t'), ...makeRepo('2', 'acme/web') }],
    ['promote', 'a', { ...nameTrail('up'), ...makeRepo('1', 'acme/backend') }],
    ['build', 'c', {}],
  ] as const) {
    await app.member.post(`/artifacts/acme/${flow}`, makeBuild(makeFingerprint(start), more))
    app.clock.advance(DAY_MS)
  }
  await app.admin.put('/flows/acme/gone/archive')
  await app.outsider.put('/flows/other-corp', { name: 'build', description: '' })
  await app.outsider.post('/artifacts/other-corp/build', makeBuild(makeFingerprint('e'), {}))
})
afterAll(() => app.stop())

const list = (query = '') => app.reader.get(`/builds/acme${query}`)
const listShort = async (query = '') => {
  const { status, body } = await list(query)
  expect(status).toBe(200)
  return body.builds.map((one: { fingerprint: string; flow_name: string }) =>
    [one.fingerprint[0], one.flow_name].join(' '),
  )
}

describe('200', () => {
  it('lists each artifact once, as first reported, newest first', async () => {
    expect(await listShort()).toEqual(['c build', 'b build', 'a build'])
  })

  it('returns all facts of a build', async () => {
    const { body } = await list('?repo_name=acme/backend')
    const fingerprint = makeFingerprint('a')
    const [{ artifact_id }] = body.builds
    expect(artifact_id).toMatch(WIRE_ID)
    expect(body.builds).toEqual([
      {
        fingerprint,
        artifact_id,
        artifact_name: 'image:1',
        flow_name: 'build',
        trail_name: 't',
        git_commit: SHA,
        commit_url: 'https://git.example.com/1',
        build_url: 'https://ci.example.com/1',
        repo_info: { id: expect.stringMatching(WIRE_ID), name: 'acme/backend', repo_id: '1' },
        created_at: began + DAY_MS / 1000,
        html_url: `${BASE_URL}/acme/flows/build/artifacts/${fingerprint}?artifact_id=${artifact_id}`,
        _links: { artifact: { href: `${BASE_URL}/api/v2/artifacts/acme/build/fingerprint/${fingerprint}` } },
      },
    ])
    expect((await list()).body.builds[0]).toMatchObject({ trail_name: null, repo_info: null })
  })

  it('filters by repository: by name, by id at the git host, or by own id', async () => {
    expect(await listShort('?repo_name=acme/web')).toEqual(['b build'])
    expect(await listShort('?repo_id=1')).toEqual(['a build'])
    const { id } = (await app.reader.get('/repos/acme/acme/web')).body
    expect(await listShort(`?repo_inner_id=${id}`)).toEqual(['b build'])
    expect(await listShort('?repo_name=')).toEqual(['c build', 'b build', 'a build'])
  })

  it('filters by time, four weeks by default', async () => {
    const day = DAY_MS / 1000
    expect(await listShort(`?start_ts=${began + 2 * day}&end_ts=${began + 3 * day}`)).toEqual(['b build'])
    expect(await listShort(`?end_ts=${began + 100 * day}`)).toEqual([])
  })

  it('is paged, with links', async () => {
    const { body } = await list('?page=2&per_page=2')
    expect(body).toMatchObject({ page: 2, per_page: 2, total_pages: 2, total_count: 3 })
    expect(body.builds).toHaveLength(1)
    expect(body._links.prev.href).toBe(`${BASE_URL}/api/v2/builds/acme?page=1&per_page=2`)
    expect((await list('?page=9')).body.builds).toEqual([])
  })

  it('waits for the database equally often, whatever it lists', async () => {
    await list()
    const all = await recordWaits(app, () => list())
    expect(await recordWaits(app, () => list('?end_ts=1'))).toHaveLength(all.length)
  })
})

describe('the statistics', () => {
  const read = (query = '') => app.reader.get(`/builds/acme/statistics${query}`)
  const day = DAY_MS / 1000

  it('have the time of each build once, oldest first', async () => {
    const { status, body } = await read()
    expect(status).toBe(200)
    const end_ts = app.clock.now().getTime() / 1000
    expect(body).toEqual({
      start_ts: end_ts - 28 * day,
      end_ts,
      count: 3,
      timestamps: [began + day, began + 2 * day, began + 4 * day],
    })
  })

  it('are filtered like the list', async () => {
    const { id } = (await app.reader.get('/repos/acme/acme/backend')).body
    for (const query of ['repo_name=acme/backend', 'repo_id=1', `repo_inner_id=${id}`])
      expect((await read(`?${query}`)).body.timestamps).toEqual([began + day])
    const { body } = await read(`?start_ts=${began + 2 * day}&end_ts=${began + 3 * day}`)
    expect(body).toMatchObject({ start_ts: began + 2 * day, count: 1 })
  })

  it.each([
    ['?start_ts=2&end_ts=1', 400],
    ['?start_ts=0', 400],
    ['?page=1', 400],
    ['?repo_name=no/where', 404],
  ])('refuse %s', async (query, expected) => expect((await read(query)).status).toBe(expected))

  it('are denied to an org the caller does not belong to', async () =>
    expect((await app.outsider.get('/builds/acme/statistics')).status).toBe(403))
})

describe('400', () => {
  it.each([
    ['?per_page=51', 'query.per_page'],
    ['?start_ts=x', 'query.start_ts'],
    ['?start_ts=2&end_ts=1', 'query.start_ts'],
    ['?start_ts=0', 'query.start_ts'],
    ['?flow=x', 'query.flow'],
  ])('refuses %s', async (query, field) => {
    const { status, body } = await list(query)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual([field])
  })
})

describe('403', () => {
  it('denies an org the caller does not belong to', async () =>
    expect((await app.outsider.get('/builds/acme')).status).toBe(403))
})

describe('404', () => {
  it.each([
    ['repo_name=no/where', 'no/where'],
    ['repo_id=99', '99'],
    ['repo_inner_id=junk', 'junk'],
  ])('names the repository: %s', async (query, wanted) => {
    const { status, body } = await list(`?${query}`)
    expect(status).toBe(404)
    expect(body).toEqual({ message: `Repo '${wanted}' not found` })
  })
})

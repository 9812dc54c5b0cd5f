import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BASE_URL, startTestApp, type TestApp } from '../../../test/harness.ts'
import { recordWaits } from '../../../test/statement-log.ts'

const COMMIT = 'c0ffee1'.padEnd(40, '0')
const OTHER = 'c0ffee2'.padEnd(40, '0')

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const name of ['build', 'scan', 'gone']) await app.member.put('/flows/acme', { name, description: '' })
  const git_commit_info = { sha1: COMMIT, branch: 'main', url: 'https://git.example/commit/1' }
  await begin('build', { name: 'first', git_commit_info })
  await begin('gone', { name: 'archived', git_commit_info })
  await begin('build', { name: 'without' })
  await begin('scan', { name: 'by-artifact', git_commit_info: { sha1: OTHER, branch: 'side' } })
  await report('scan', 'by-artifact', { sha1: COMMIT, branch: 'release', timestamp: 1 })
  await begin('scan', { name: 'a~b', git_commit_info })
  await report('scan', 'a~b', { sha1: COMMIT, branch: 'other', timestamp: 1 })
  await app.member.put('/flows/acme/gone/archive', null)
  await app.outsider.put('/flows/other-corp', { name: 'theirs', description: '' })
  await app.outsider.put('/trails/other-corp/theirs', { name: 'foreign', git_commit_info })
})
afterAll(() => app.stop())

function begin(flow: string, body: object) {
  app.clock.advance(1000)
  return app.member.put(`/trails/acme/${flow}`, body)
}

async function report(
  flow: string,
  trail_name: string,
  git_commit_info: { sha1: string; branch: string; timestamp: number },
): Promise<void> {
  const { status } = await app.member.post(`/artifacts/acme/${flow}`, {
    fingerprint: 'f'.repeat(64),
    filename: 'image',
    build_url: 'https://ci.example/build',
    commit_url: 'https://git.example/commit/2',
    git_commit: git_commit_info.sha1,
    git_commit_info,
    trail_name,
    template_reference_name: 'image',
  })
  expect(status).toBe(201)
}

const search = (path: string) => app.reader.get(`/search/acme/commit/${path}`)
const link = (query: string) => ({ href: `${BASE_URL}/api/v2/search/acme/commit/${COMMIT}/trails${query}` })

describe('200', () => {
  it('returns the trails that report the commit, newest first, across flows', async () => {
    const { status, body } = await search(`${COMMIT}/trails`)
    expect(status).toBe(200)
    expect(body).toEqual({
      trails: [
        {
          flow_name: 'scan',
          trail_name: 'a~b',
          branch: 'main',
          archived: false,
          url: `${BASE_URL}/acme/flows/scan/trails/a~b`,
          _links: {
            self: { href: `${BASE_URL}/api/v2/trails/acme/scan/a~b` },
            commit: { href: 'https://git.example/commit/1' },
          },
        },
        {
          flow_name: 'scan',
          trail_name: 'by-artifact',
          branch: 'release',
          archived: false,
          url: `${BASE_URL}/acme/flows/scan/trails/by-artifact`,
          _links: {
            self: { href: `${BASE_URL}/api/v2/trails/acme/scan/by-artifact` },
            commit: { href: 'https://git.example/commit/2' },
          },
        },
        {
          flow_name: 'gone',
          trail_name: 'archived',
          branch: 'main',
          archived: true,
          url: `${BASE_URL}/acme/flows/gone/trails/archived`,
          _links: {
            self: { href: `${BASE_URL}/api/v2/trails/acme/gone/archived?archived=true` },
            commit: { href: 'https://git.example/commit/1' },
          },
        },
        {
          flow_name: 'build',
          trail_name: 'first',
          branch: 'main',
          archived: false,
          url: `${BASE_URL}/acme/flows/build/trails/first`,
          _links: {
            self: { href: `${BASE_URL}/api/v2/trails/acme/build/first` },
            commit: { href: 'https://git.example/commit/1' },
          },
        },
      ],
      page: 1,
      per_page: 15,
      total_pages: 1,
      total_count: 4,
      _links: { self: link(''), first: link('?page=1'), last: link('?page=1') },
    })
  })

  it('links to existing trails', async () => {
    const { body } = await search(`${COMMIT}/trails`)
    for (const { _links, trail_name } of body.trails) {
      const trail = await app.reader.get(_links.self.href.slice(BASE_URL.length))
      expect(trail.body.name).toBe(trail_name)
    }
  })

  it.each([
    ['C0FFEE1', 4],
    ['c0ffee', 4],
    ['c0ffee2', 1],
    ['12345', 0],
  ])('finds by the prefix %s', async (sha, total_count) => {
    expect((await search(`${sha}/trails`)).body).toMatchObject({ total_count })
  })

  it('pages', async () => {
    const { body } = await search(`${COMMIT}/trails?page=2&per_page=1`)
    expect(body).toMatchObject({
      trails: [{ trail_name: 'by-artifact' }],
      page: 2,
      per_page: 1,
      total_pages: 4,
      total_count: 4,
    })
    expect(body._links).toEqual({
      self: link('?page=2&per_page=1'),
      first: link('?page=1&per_page=1'),
      prev: link('?page=1&per_page=1'),
      next: link('?page=3&per_page=1'),
      last: link('?page=4&per_page=1'),
    })
    const past = (await search(`${COMMIT}/trails?page=1000000`)).body
    expect(past).toMatchObject({ trails: [], total_pages: 1, total_count: 4 })
  })

  it('takes the same number of round trips whatever is found', async () => {
    const recordSearchWaits = (sha: string) => recordWaits(app, () => search(`${sha}/trails`))
    await search(`${COMMIT}/trails`)
    expect(await recordSearchWaits(COMMIT)).toHaveLength(2)
    expect(await recordSearchWaits('12345')).toHaveLength(2)
  })
})

describe('400', () => {
  it.each([
    ['c0ff/trails', 'sha', "String should match pattern '^[a-fA-F0-9]{5,40}$' [input: c0ff]"],
    ['c0ffeex/trails', 'sha', "String should match pattern '^[a-fA-F0-9]{5,40}$' [input: c0ffeex]"],
    ['c0ffee/trails?page=0', 'query.page', 'Input should be greater than or equal to 1 [input: 0]'],
    [
      'c0ffee/trails?page=1000001',
      'query.page',
      'Input should be less than or equal to 1000000 [input: 1000001]',
    ],
    ['c0ffee/trails?per_page=51', 'query.per_page', 'Input should be less than or equal to 50 [input: 51]'],
  ])('refuses %s', async (path, field, sentence) => {
    const { status, body } = await search(path)
    expect(status).toBe(400)
    expect(body.errors).toEqual({ [field]: sentence })
  })
})

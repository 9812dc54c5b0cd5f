import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BASE_URL, startTestApp, type TestApp } from '../../../test/harness.ts'
import { recordWaits } from '../../../test/statement-log.ts'
import { makeIds } from '../../lib/ids.ts'
import { findRepoIdByName, type ReportedRepo, saveRepos } from './store.ts'

let app: TestApp
const buildRepo = (name: string, keys: Partial<ReportedRepo> = {}): Omit<ReportedRepo, 'repo_id'> => ({
  provider: 'github',
  external_id: name,
  name,
  url: `https://git.example/${name}`,
  description: '',
  namespace_path: ['acme'],
  additional_info: {},
  flow_name: 'repos',
  trail_name: 'repos',
  ...keys,
})

async function findOrgId(org: string): Promise<string> {
  return String((await app.sql('select org_id from orgs where name = $1', [org]))[0]?.org_id)
}

async function save(org: string, ...repos: Omit<ReportedRepo, 'repo_id'>[]): Promise<void> {
  const org_id = await findOrgId(org)
  const ids = makeIds(app.clock)
  const named = repos.map(repo => ({ repo_id: ids.next(), ...repo }))
  await app.db.runOnce({ org_id }, saveRepos, { org_id, repos: named, now: app.clock.now() })
}

beforeAll(async () => {
  app = await startTestApp()
  for (const [client, org] of [
    [app.member, 'acme'],
    [app.outsider, 'other-corp'],
  ] as const) {
    await client.put(`/flows/${org}`, { name: 'repos', description: '' })
    await client.put(`/trails/${org}/repos`, { name: 'repos' })
  }
  await save(
    'acme',
    buildRepo('acme/web'),
    buildRepo('acme/api', { provider: 'gitlab', external_id: '7' }),
    buildRepo('acme/group/Backend', { provider: '', additional_info: { project_key: 'BE' } }),
    buildRepo('acme/under_score'),
  )
  await save('other-corp', buildRepo('other/web'))
  await app.sql(`update repos set tags = '{"tier": "1", "team": "blue"}' where name = 'acme/api'`)
  await app.sql(`update repos set tags = '{"tier": "2"}' where name = 'acme/web'`)
})
afterAll(() => app.stop())

const list = (query = '') => app.reader.get(`/repos/acme${query}`)
const listNames = async (query: string) =>
  (await list(query)).body.repos.map(({ name }: { name: string }) => name)
const ALL = ['acme/api', 'acme/group/Backend', 'acme/under_score', 'acme/web']
const link = (query: string) => ({ href: `${BASE_URL}/api/v2/repos/acme${query}` })

describe('200', () => {
  it('returns the first page by name, without repositories of other orgs', async () => {
    const { status, body } = await list()
    expect(status).toBe(200)
    expect(body.repos.map(({ name }: { name: string }) => name)).toEqual(ALL)
    expect(body).toMatchObject({ page: 1, per_page: 15, total_pages: 1, total_count: 4 })
    expect(body._links).toEqual({ self: link(''), first: link('?page=1'), last: link('?page=1') })
    expect(body.repos[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8}$/),
      repo_id: '7',
      name: 'acme/api',
      url: 'https://git.example/acme/api',
      provider: 'gitlab',
      vcs_instance: 'git.example',
      description: '',
      namespace_path: ['acme'],
      additional_info: {},
      tags: { tier: '1', team: 'blue' },
      created_at: app.clock.now().getTime() / 1000,
      last_modified_at: app.clock.now().getTime() / 1000,
      latest_trail: null,
      running: { environments: 0, compliant: 0, non_compliant: 0, unknown: 0, stale: 0 },
    })
    expect(body.repos[1]).toMatchObject({ provider: '', tags: {}, additional_info: { project_key: 'BE' } })
  })

  it('pages, and links to the other pages with all query parameters', async () => {
    const { body } = await list('?page=2&per_page=1&search=acme&tag=tier')
    expect(body).toMatchObject({ page: 2, per_page: 1, total_pages: 2, total_count: 2 })
    const rest = '&per_page=1&search=acme&tag=tier'
    expect(body._links).toEqual({
      self: link(`?page=2${rest}`),
      first: link(`?page=1${rest}`),
      prev: link(`?page=1${rest}`),
      last: link(`?page=2${rest}`),
    })
    expect((await list('?page=2&per_page=1')).body._links.next).toEqual(link('?page=3&per_page=1'))
  })

  it('returns an empty page past the end, which links back to the last page', async () => {
    const { status, body } = await list('?page=1000000&per_page=2')
    expect(status).toBe(200)
    expect(body).toMatchObject({ repos: [], page: 1_000_000, total_pages: 2, total_count: 4 })
    expect(body._links.prev).toEqual(link('?page=2&per_page=2'))
    expect(body._links).not.toHaveProperty('next')
  })

  it.each([
    ['?name=acme/api', ['acme/api']],
    ['?name=acme', []],
    ['?name=', ALL],
    ['?search=', ALL],
    ['?repo_id=', ALL],
    ['?search=BACK', ['acme/group/Backend']],
    ['?search=_', ['acme/under_score']],
    ['?search=%25', []],
    ['?provider=gitlab', ['acme/api']],
    ['?repo_id=7', ['acme/api']],
    ['?repo_id=7&provider=github', []],
    ['?vcs_instance=git.example', ALL],
    ['?vcs_instance=GIT.example&provider=gitlab', ['acme/api']],
    ['?vcs_instance=', ALL],
    ['?vcs_instance=example', []],
    ['?namespace=acme', ALL],
    ['?namespace=/acme/', ALL],
    ['?namespace=acm', []],
    ['?namespace=acme/api', []],
    ['?namespace=', ALL],
    ['?tag=tier', ['acme/api', 'acme/web']],
    ['?tag=tier:1', ['acme/api']],
    ['?tag=tier&tag=team', ['acme/api']],
    ['?tag=tier:2&tag=team', []],
    ['?tag=tier:1&tag=tier:2', []],
    ['?tag=tier:', []],
    ['?tag=', []],
    ['?sort_direction=desc', ALL.toReversed()],
    ['?sort_direction=asc', ALL],
  ])('filters and sorts: %s', async (query, expected) => expect(await listNames(query)).toEqual(expected))

  it('takes the same number of round trips whatever is listed', async () => {
    const recordListWaits = (query: string) => recordWaits(app, () => list(query))
    await list('')
    expect(await recordListWaits('?per_page=1')).toHaveLength(3)
    expect(await recordListWaits('?tag=tier&search=a')).toHaveLength(3)
  })
})

describe('repositories in reports', () => {
  const readStored = (external_id: string) =>
    app.sql('select repo_id, name, description, last_modified_at, xmin from repos where external_id = $1', [
      external_id,
    ])

  it('changes only what differs, and keeps id and tags', async () => {
    await save('acme', buildRepo('acme/told', { external_id: 'told' }))
    const [first] = await readStored('told')
    app.clock.advance(1000)
    await save('acme', buildRepo('acme/told', { external_id: 'told' }))
    expect(await readStored('told')).toEqual([first])
    await save('acme', buildRepo('acme/renamed', { external_id: 'told', description: 'new' }))
    expect(await readStored('told')).toMatchObject([
      { repo_id: first?.repo_id, name: 'acme/renamed', last_modified_at: app.clock.now() },
    ])
  })

  it('uses the last entry when a batch has a repository twice, and accepts an empty batch', async () => {
    const keys = { external_id: 'twice' }
    await save('acme', buildRepo('acme/before', keys), buildRepo('acme/after', keys))
    expect(await readStored('twice')).toMatchObject([{ name: 'acme/after' }])
    await expect(save('acme')).resolves.toBeUndefined()
  })

  it('creates one repository for concurrent identical reports', async () => {
    await Promise.all(
      Array.from({ length: 8 }, () => save('acme', buildRepo('acme/raced', { external_id: 'raced' }))),
    )
    expect(await readStored('raced')).toHaveLength(1)
  })

  it('are found by name, newest first', async () => {
    const org_id = await findOrgId('acme')
    app.clock.advance(1000)
    await save('acme', buildRepo('acme/named', { external_id: 'old' }))
    app.clock.advance(1000)
    await save('acme', buildRepo('acme/named', { external_id: 'new' }))
    const find = (name: string) =>
      app.db.withTransaction({ org_id }, tx => findRepoIdByName(tx, org_id, name))
    expect(await find('acme/named')).toBe((await readStored('new'))[0]?.repo_id)
    expect(await find('other/web')).toBeUndefined()
  })
})

describe('400', () => {
  it.each([
    ['per_page=51', 'query.per_page', 'Input should be less than or equal to 50 [input: 51]'],
    ['page=0', 'query.page', 'Input should be greater than or equal to 1 [input: 0]'],
    ['provider=', 'query.provider', expect.stringMatching(/^Input should be 'github', .* \[input: \]$/)],
    ['sort_direction=up', 'query.sort_direction', "Input should be 'asc' or 'desc' [input: up]"],
    ['unknown=1', 'query.unknown', 'Extra inputs are not permitted [input: 1]'],
  ])('refuses %s', async (query, path, sentence) => {
    const { status, body } = await list(`?${query}`)
    expect(status).toBe(400)
    expect(body.errors).toEqual({ [path]: sentence })
  })

  it('refuses an unknown provider', async () => {
    const { status, body } = await list('?provider=sourceforge')
    expect(status).toBe(400)
    expect(body.errors['query.provider']).toMatch(/^Input should be 'github', 'gitlab', 'bitbucket', /)
  })
})

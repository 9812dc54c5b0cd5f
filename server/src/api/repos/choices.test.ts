import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { recordWaits } from '../../../test/statement-log.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await add('acme', '1', {
    provider: 'github',
    host: 'github.example',
    groups: ['acme'],
    tags: { team: 'a' },
  })
  await add('acme', '2', {
    provider: 'gitlab',
    host: 'git.example:8443',
    groups: ['acme', 'web'],
    tags: { team: 'a' },
  })
  await add('acme', '3', {
    provider: 'gitlab',
    host: 'git.example:8443',
    groups: ['ops'],
    tags: { team: 'b', tier: '1' },
  })
  await add('acme', '4', { provider: '', host: 'git.example', groups: [], tags: {} })
  await add('other-corp', '5', {
    provider: 'git',
    host: 'foreign.example',
    groups: ['foreign'],
    tags: { of: 'others' },
  })
})
afterAll(() => app.stop())

interface Given {
  provider: string
  host: string
  groups: string[]
  tags: Record<string, string>
}
let added = 0
function add(org: string, id: string, { provider, host, groups, tags }: Given) {
  const repo_id = `018f0000-0000-7000-8000-${String(++added).padStart(8, '0')}0000`
  return app.sql(
    `insert into repos (org_id, repo_id, provider, external_id, name, url, description, namespace_path,
                        additional_info, tags, created_at, last_modified_at)
     select org_id, $7::uuid, $2, $3, $3, $4, '', $5, '{}', $6, now(), now() from orgs where name = $1`,
    [org, provider, id, `https://user@${host}/${id}`, JSON.stringify(groups), JSON.stringify(tags), repo_id],
  )
}

const readOptions = async (query = '') => (await app.reader.get(`/repos/acme/filter-options${query}`)).body
const [GITHUB, GITLAB, PLAIN] = ['github.example', 'git.example:8443', 'git.example']

describe('200', () => {
  it.each([
    ['', ['github', 'gitlab'], [PLAIN, GITLAB, GITHUB], ['acme', 'ops']],
    ['?provider=gitlab', ['github', 'gitlab'], [GITLAB], ['acme', 'ops']],
    [`?vcs_instance=${GITHUB}`, ['github'], [PLAIN, GITLAB, GITHUB], ['acme']],
    ['?namespace=acme', ['github', 'gitlab'], [GITLAB, GITHUB], ['web']],
    ['?namespace=acme/web', ['gitlab'], [GITLAB], []],
    ['?namespace=acme&provider=github', ['github', 'gitlab'], [GITHUB], []],
    ['?tag=team:b', ['gitlab'], [GITLAB], ['ops']],
    ['?tag=nothing', [], [], []],
    ['?vcs_instance=&namespace=', ['github', 'gitlab'], [PLAIN, GITLAB, GITHUB], ['acme', 'ops']],
  ])('lists the values, each narrowed by the others: %s', async (query, providers, vcs_instances, values) => {
    expect(await readOptions(query)).toEqual({ providers, vcs_instances, namespace_values: values })
  })

  it('lists each tag with each of its values once', async () => {
    const { status, body } = await app.reader.get('/repos/acme/tags')
    expect(status).toBe(200)
    expect(body).toEqual({
      tags: [
        { key: 'team', value: 'a' },
        { key: 'team', value: 'b' },
        { key: 'tier', value: '1' },
      ],
    })
  })

  it('is one wait for the database', async () => {
    await readOptions()
    expect(await recordWaits(app, () => readOptions('?tag=team'))).toHaveLength(1)
    expect(await recordWaits(app, () => app.reader.get('/repos/acme/tags'))).toHaveLength(1)
  })

  it('leaves repositories of these names readable by their id', async () => {
    await add('acme', 'tags', { provider: 'git', host: 'h', groups: [], tags: {} })
    const [repo] = (await app.reader.get('/repos/acme?name=tags')).body.repos
    expect((await app.reader.get(`/repos/acme/any?id=${repo.id}`)).body).toEqual(
      expect.objectContaining({ name: 'tags' }),
    )
  })
})

describe('400', () => {
  it('refuses an unknown provider', async () => {
    const { status, body } = await app.reader.get('/repos/acme/filter-options?provider=x')
    expect([status, Object.keys(body.errors)]).toEqual([400, ['query.provider']])
  })
})

describe('403', () => {
  it.each(['filter-options', 'tags'])('denies an org the caller does not belong to: %s', async what => {
    expect((await app.outsider.get(`/repos/acme/${what}`)).status).toBe(403)
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { recordWaits } from '../../../test/statement-log.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await add('acme', '018f0000-0000-7000-8000-000000010000', 'github', '1', 'acme/web')
  await add('acme', '018f0000-0000-7000-8000-000000020000', 'github', '2', 'group/sub/deep name')
  await add('acme', '018f0000-0000-7000-8000-000000030000', 'github', '3', 'acme/twice')
  await add('acme', '018f0000-0000-7000-8000-000000040000', 'github', '4', 'acme/twice')
  await add('acme', '018f0000-0000-7000-8000-000000050000', 'gitlab', '5', 'acme/both')
  await add('acme', '018f0000-0000-7000-8000-000000060000', 'github', '6', 'acme/both')
  await add('acme', '018f0000-0000-7000-8000-000000070000', '', '7', 'plain')
  await add('other-corp', '018f0000-0000-7000-8000-000000080000', 'github', '8', 'other/web')
})
afterAll(() => app.stop())

function add(org: string, repo_id: string, provider: string, external_id: string, name: string) {
  return app.sql(
    `insert into repos (org_id, repo_id, provider, external_id, name, url, description, namespace_path,
                        additional_info, created_at, last_modified_at)
     select org_id, $2::uuid, $3, $4, $5, 'https://git.example/' || $5, '', '[]', '{}', now(), now()
     from orgs where name = $1`,
    [org, repo_id, provider, external_id, name],
  )
}

const get = (path: string) => app.reader.get(`/repos/acme/${path}`)

describe('200', () => {
  it.each([
    ['acme/web', '1'],
    ['group/sub/deep%20name', '2'],
    ['acme%2Fweb', '1'],
    ['plain', '7'],
    ['acme/both?provider=gitlab', '5'],
    ['acme/both?provider=github', '6'],
    ['acme/twice?provider=github', '4'],
    ['acme/both?id=018f0000-0000-7000-8000-00000005', '5'],
    ['whatever/it/says?id=018f0000-0000-7000-8000-00000001', '1'],
  ])('finds %s', async (path, repo_id) => {
    const { status, body } = await get(path)
    expect(status).toBe(200)
    expect(body).toMatchObject({ repo_id, tags: {} })
  })

  it('returns each repository with the same fields as the list, which adds its activity', async () => {
    const { body } = await app.reader.get('/repos/acme?name=acme/web')
    const { latest_trail, running, ...fields } = body.repos[0]
    expect((await get('acme/web')).body).toEqual(fields)
    expect([latest_trail, running]).not.toContain(undefined)
  })

  it('takes one database round trip once the caller is cached', async () => {
    await get('acme/web')
    expect(await recordWaits(app, () => get('acme/web'))).toHaveLength(1)
  })
})

describe('400', () => {
  it.each([
    ['acme/both', 'github, gitlab'],
    ['acme/twice', 'github'],
  ])('refuses the ambiguous name %s', async (name, providers) => {
    const { status, body } = await get(name)
    expect(status).toBe(400)
    expect(body).toEqual({
      message: `Multiple repos named '${name}' exist (${providers}). Specify the 'provider' or the 'id' to choose one.`,
    })
  })

  it('refuses an unknown provider', async () => {
    expect((await get('acme/web?provider=sourceforge')).body.errors).toHaveProperty(['query.provider'])
  })
})

describe('404', () => {
  it.each([
    ['acme/nothing', 'acme/nothing'],
    ['other/web', 'other/web'],
    ['acme/web?provider=gitlab', 'acme/web'],
    ['acme/web/', 'acme/web/'],
    ['acme', 'acme'],
    ['acme/web?id=018f0000-0000-7000-8000-00000009', '018f0000-0000-7000-8000-00000009'],
    ['acme/web?id=018f0000-0000-7000-8000-00000008', '018f0000-0000-7000-8000-00000008'],
    ['acme/web?id=nonsense', 'nonsense'],
  ])('does not find %s', async (path, expected) => {
    const { status, body } = await get(path)
    expect(status).toBe(404)
    expect(body).toEqual({ message: `Repo '${expected}' not found` })
  })
})

describe('405', () => {
  it('says which methods there are, however deep the name', async () => {
    const { status, headers } = await app.member.put('/repos/acme/group/sub/name', {})
    expect(status).toBe(405)
    expect(headers.allow).toBe('GET, HEAD')
  })
})

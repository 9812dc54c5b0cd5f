import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  attach,
  buildImageName,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  report,
} from '../../../test/environments.ts'
import { BASE_URL, startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail, SHA, WIRE_ID } from '../../../test/reports.ts'
import { recordWaits } from '../../../test/statement-log.ts'

const buildRepo = (id: string, name: string, provider = 'github') => ({
  repo_info: { id, name, url: `https://git.example/${name}`, provider },
})

let app: TestApp
let began: number
beforeAll(async () => {
  app = await startTestApp()
  for (const flow of ['build', 'promote']) await makeFlow(app, flow)
  await app.member.post(
    '/artifacts/acme/build',
    makeBuild(makeFingerprint('a'), { ...nameTrail('t'), ...buildRepo('1', 'acme/sub/api') }),
  )
  await app.member.post(
    '/artifacts/acme/build',
    makeBuild(makeFingerprint('b'), { ...nameTrail('t'), ...buildRepo('2', 'acme/web') }),
  )
  await app.member.post(
    '/artifacts/acme/build',
    makeBuild(makeFingerprint('e'), { ...nameTrail('t'), ...buildRepo('3', 'twice') }),
  )
  await app.member.post(
    '/artifacts/acme/build',
    makeBuild(makeFingerprint('f'), { ...nameTrail('t'), ...buildRepo('4', 'twice', 'gitlab') }),
  )
  for (const name of ['prod', 'stage', 'old']) await makeEnvironment(app, name)
  await makeEnvironment(app, 'all', { type: 'logical', included_environments: ['prod'] })
  await putPolicy(app, 'tested', buildPolicyRequiring('tests'))
  await attach(app, 'prod', 'tested')
  began = app.clock.now().getTime() / 1000
  await report(app, 'prod', 'b')
  await report(app, 'prod', 'a', 'b', 'e')
  await report(app, 'stage', 'a')
  await report(app, 'old', 'a')
  await app.admin.put('/environments/acme/old/archive')
  await app.evaluate()
})
afterAll(() => app.stop())

const get = (path: string) => app.reader.get(`/repos/acme/live-artifacts/${path}`)
const readId = async (name: string, kind: string) => (await get(name)).body._embedded[kind][0].id

describe('200', () => {
  it('returns where each artifact runs, since when, and its verdict there', async () => {
    const { status, body } = await get('acme/sub/api')
    expect(status).toBe(200)
    const artifact_id = await readId('acme/sub/api', 'artifacts')
    const common = {
      environment_id: expect.stringMatching(WIRE_ID),
      artifact_id,
      artifact_name: buildImageName('a'),
      fingerprint: makeFingerprint('a'),
      commit_sha: SHA,
      started_at: began,
      _links: expect.anything(),
    }
    expect(body.live_artifacts).toEqual([
      { ...common, environment_name: 'prod', snapshot_index: 2, compliance: 'NON-COMPLIANT' },
      { ...common, environment_name: 'stage', snapshot_index: 1, compliance: null },
    ])
    expect(body.live_artifacts[0]._links).toEqual({
      self: { href: `${BASE_URL}/api/v2/snapshots/acme/prod/2` },
      html: { href: `${BASE_URL}/acme/environments/prod/snapshots/2` },
    })
    expect(body._links).toEqual({
      self: { href: `${BASE_URL}/api/v2/repos/acme/live-artifacts/acme/sub/api` },
    })
  })

  it('embeds each artifact and each environment once', async () => {
    const { _embedded } = (await get('acme/sub/api')).body
    expect(_embedded.artifacts).toMatchObject([
      { fingerprint: makeFingerprint('a'), commit_sha: SHA, commit_url: 'https://git.example.com/1' },
    ])
    expect(_embedded.environments).toMatchObject([
      { name: 'prod', type: 'K8S' },
      { name: 'stage', type: 'K8S' },
    ])
  })

  it('is empty if no artifact of it runs', async () => {
    expect((await get('twice?provider=gitlab')).body).toMatchObject({
      live_artifacts: [],
      _embedded: { artifacts: [], environments: [] },
    })
    expect((await get('twice?provider=github')).body.live_artifacts).toHaveLength(1)
  })

  it('leaves out artifacts that have stopped', async () => {
    expect((await get('acme/web')).body.live_artifacts).toHaveLength(1)
    await report(app, 'prod', 'a', 'e')
    expect((await get('acme/web')).body.live_artifacts).toEqual([])
  })

  it('finds the repository by id, whatever the path says', async () => {
    const { id } = (await app.reader.get('/repos/acme/acme/sub/api')).body
    expect((await get(`any/thing?id=${id}`)).body.live_artifacts).toHaveLength(2)
  })

  it('takes the same number of round trips whatever runs', async () => {
    await get('acme/web')
    const none = await recordWaits(app, () => get('acme/web'))
    expect(await recordWaits(app, () => get('acme/sub/api'))).toHaveLength(none.length)
  })
})

describe('400', () => {
  it('refuses an ambiguous name', async () => {
    const { status, body } = await get('twice')
    expect(status).toBe(400)
    expect(body.message).toMatch(/^Multiple repos named 'twice' exist \(github, gitlab\)/)
  })

  it('refuses an unknown provider', async () => {
    const { status, body } = await get('acme/web?provider=sourceforge')
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual(['query.provider'])
  })
})

describe('403', () => {
  it('for callers outside the organization', async () => {
    expect((await app.outsider.get('/repos/acme/live-artifacts/acme/web')).status).toBe(403)
  })
})

describe('404', () => {
  it('names the repository', async () => {
    const { status, body } = await get('no/where')
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Repo 'no/where' not found" })
  })
})

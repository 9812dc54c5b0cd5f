import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeEnvironment, report } from '../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../test/reports.ts'
import { recordWaits } from '../../../test/statement-log.ts'

const DAY_MS = 86_400_000
const [FIRST, TWIN] = [makeFingerprint('aaaaaa1'), makeFingerprint('aaaaaa2')]

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const flow of ['build', 'promote']) {
    await makeFlow(app, flow)
    await app.member.post(`/artifacts/acme/${flow}`, makeBuild(FIRST, nameTrail('t')))
  }
  for (const name of ['prod', 'stage']) await makeEnvironment(app, name)
  await makeEnvironment(app, 'all', { type: 'logical', included_environments: ['prod', 'stage'] })
  for (const running of [['aaaaaa1'], ['b'], ['aaaaaa1', 'b']]) {
    await report(app, 'prod', ...running)
    app.clock.advance(40 * DAY_MS)
  }
  await report(app, 'stage', 'aaaaaa1', 'aaaaaa2')
})
afterAll(() => app.stop())

const get = (fingerprint: string, environment = 'prod') =>
  app.reader.get(`/deployments/acme/${environment}/${fingerprint}`)

describe('200', () => {
  it.each([FIRST, 'aaaaaa1', 'aaaaa'])('lists every start of %s, newest first, each once', async given => {
    const { status, body } = await get(given)
    expect(status).toBe(200)
    expect(body).toMatchObject([
      { snapshot_index: 3, artifact_fingerprint: FIRST, flow_name: 'build', is_running: true },
      { snapshot_index: 1, artifact_fingerprint: FIRST, flow_name: 'build', is_running: false },
    ])
  })

  it('returns the same fields as the list', async () => {
    const [newest] = (await get(FIRST, 'stage')).body
    const { deployments } = (await app.reader.get('/deployments/acme?env_name=stage&flow_name=build')).body
    expect(newest).toEqual(deployments[0])
  })

  it('searches every member of a logical environment', async () => {
    const { body } = await get(FIRST, 'all')
    const where = body.map((one: { environment_name: string }) => one.environment_name)
    expect(where).toEqual(['stage', 'prod', 'prod'])
  })

  it('makes three database round trips', async () => {
    await get(FIRST)
    expect(await recordWaits(app, () => get(FIRST))).toHaveLength(3)
  })
})

describe('400', () => {
  it.each(['aaaa', 'xyzzy', 'a'.repeat(65)])('rejects %s', async given => {
    const { status, body } = await get(given)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual(['fingerprint'])
  })

  it('says how many artifacts match an ambiguous prefix', async () => {
    const { status, body } = await get('aaaaaa', 'stage')
    expect(status).toBe(400)
    expect(body).toEqual({ message: "Fingerprint 'aaaaaa' matches 2 artifacts; use a longer prefix" })
  })
})

describe('404', () => {
  it('says that the artifact was never deployed there', async () => {
    const { status, body } = await get(TWIN)
    expect(status).toBe(404)
    expect(body).toEqual({
      message: `Artifact with fingerprint '${TWIN}' has not been deployed to environment 'prod'`,
    })
  })

  it('rejects an unknown environment', async () => {
    const { status, body } = await get(FIRST, 'nowhere')
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Environment named 'nowhere' does not exist for organization 'acme'" })
  })
})

// The details in the list of repositories: the newest trail, and what runs.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../test/reports.ts'

const REPO = { id: '311', name: 'acme/backend', url: 'https://git.example/acme/backend' }
const FINGERPRINT = makeFingerprint('a')

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'built')
})
afterAll(() => app.stop())

const findRepo = async () => (await app.reader.get('/repos/acme?name=acme/backend')).body.repos[0]
const report = (env: string) =>
  app.member.put(`/environments/acme/${env}/report/server`, {
    artifacts: [{ creationTimestamp: 1, digests: { 'app:1': FINGERPRINT } }],
  })

it('has the newest trail that names the repository, with its state', async () => {
  await app.member.put('/trails/acme/built', { name: 'first', repo_info: REPO })
  app.clock.advance(1000)
  await app.member.put('/trails/acme/built', { name: 'second', repo_info: REPO })
  const { latest_trail } = await findRepo()
  expect(latest_trail).toEqual({
    flow_name: 'built',
    trail_name: 'second',
    state: 'COMPLIANT',
    last_modified_at: app.clock.now().getTime() / 1000,
  })
})

it('counts what runs by verdict, and what is stale', async () => {
  await app.member.post(
    '/artifacts/acme/built',
    makeBuild(FINGERPRINT, { ...nameTrail('second'), repo_info: REPO }),
  )
  for (const name of ['prod', 'test', 'archived']) {
    await app.member.put('/environments/acme', { name, type: 'server', expected_report_interval: 60 })
    expect((await report(name)).status).toBeLessThan(300)
  }
  await app.member.put('/environments/acme/archived/archive')
  const none = { compliant: 0, non_compliant: 0, unknown: 0, stale: 0 }
  expect((await findRepo()).running).toEqual({ ...none, environments: 2, unknown: 2 })
  const setVerdict = (env: string, compliant: boolean) =>
    app.sql(
      `update running_artifacts r set compliant = $2 from environments e
       where e.environment_id = r.environment_id and e.name = $1`,
      [env, compliant],
    )
  await setVerdict('prod', false)
  await setVerdict('test', true)
  expect((await findRepo()).running).toEqual({ ...none, environments: 2, compliant: 1, non_compliant: 1 })
  app.clock.advance(600_000)
  expect((await findRepo()).running).toEqual({ ...none, environments: 2, stale: 1, non_compliant: 1 })
})

it('shows nothing of another organization', async () => {
  await app.outsider.put('/flows/other-corp', { name: 'built', description: '' })
  await app.outsider.put('/trails/other-corp/built', { name: 'theirs', repo_info: REPO })
  const { body } = await app.outsider.get('/repos/other-corp')
  expect(body.repos).toMatchObject([{ latest_trail: { trail_name: 'theirs' }, running: { environments: 0 } }])
  expect((await findRepo()).latest_trail.trail_name).toBe('second')
})

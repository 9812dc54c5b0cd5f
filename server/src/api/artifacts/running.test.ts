// Where artifacts run, where they ran and since when, as artifacts, search and flows return it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeEnvironment, report } from '../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../test/reports.ts'
import { recordWaits } from '../../../test/statement-log.ts'

const [A, B, C] = [makeFingerprint('aaaaa'), makeFingerprint('bbbbb'), makeFingerprint('ccccc')]

let app: TestApp
let began: number
beforeAll(async () => {
  app = await startTestApp()
  began = app.clock.now().getTime() / 1000
  for (const flow of ['build', 'promote', 'idle']) await makeFlow(app, flow)
  for (const fingerprint of [A, B, C]) {
    await app.member.post(
      '/artifacts/acme/build',
      makeBuild(fingerprint, nameTrail('t', fingerprint.slice(0, 1))),
    )
  }
  await app.member.post('/artifacts/acme/promote', makeBuild(A, nameTrail('t')))
  for (const name of ['prod', 'stage', 'retired']) await makeEnvironment(app, name)
  await reportNext('stage', 'aaaaa')
  const attestation = { attestation_name: 'tests', is_compliant: true, artifact_fingerprint: A }
  app.clock.advance(1000)
  await app.member.post('/attestations/acme/build/trail/t/generic', attestation)
  await reportNext('prod', 'aaaaa')
  await reportNext('prod', 'bbbbb')
  await reportNext('prod', 'bbbbb', 'aaaaa')
  await reportNext('stage')
  // Other pods of the same artifact: it keeps running.
  await reportNext('prod', 'bbbbb', { start: 'aaaaa', pods: ['x', 'y'] }, 'd')
  await reportNext('retired', 'bbbbb')
  await app.member.put('/environments/acme/retired/archive', null)
})
afterAll(() => app.stop())

async function reportNext(environment: string, ...running: Parameters<typeof report>[2][]): Promise<void> {
  app.clock.advance(1000)
  await report(app, environment, ...running)
}

const makePlace = (environment_name: string, snapshot_index: number) => ({ environment_name, snapshot_index })
const HISTORY = [
  { event: 'a reported', timestamp: 0 },
  { event: 'Started running in stage#1 environment', timestamp: 1 },
  { event: 'tests reported', timestamp: 2 },
  { event: 'Started running in prod#1 environment', timestamp: 3 },
  { event: 'No longer running in prod#2 environment', timestamp: 4 },
  { event: 'Started running in prod#3 environment', timestamp: 5 },
  { event: 'No longer running in stage#2 environment', timestamp: 6 },
]
const shiftTimes = (history: { event: string; timestamp: number }[]) =>
  history.map(({ event, timestamp }) => ({ event, timestamp: timestamp - began }))

describe('an artifact', () => {
  it('lists where it runs and since which snapshot, where it exited, and the times', async () => {
    const { body } = await app.reader.get(`/artifacts/acme/build/fingerprint/${A}`)
    expect(body.running).toEqual([makePlace('prod', 3)])
    expect(body.exited).toEqual([makePlace('stage', 2), makePlace('prod', 2)])
    expect(shiftTimes(body.history)).toEqual(HISTORY)
  })

  it('returns the same in every flow and in every list', async () => {
    const [promoted] = (await app.reader.get(`/artifacts/acme/promote/commit_sha/${makeBuild(A).git_commit}`))
      .body
    expect(promoted.running).toEqual([makePlace('prod', 3)])
    const all = (await app.reader.get('/artifacts/acme?per_page=50')).body
    const running = all.map((one: { fingerprint: string; running: unknown }) => [
      one.fingerprint,
      one.running,
    ])
    expect(running).toEqual([
      [A, [makePlace('prod', 3)]],
      [C, []],
      [B, [makePlace('prod', 2)]],
      [A, [makePlace('prod', 3)]],
    ])
  })

  it('is not listed as running in an archived environment', async () => {
    const { body } = await app.reader.get(`/artifacts/acme/build/fingerprint/${B}`)
    expect(body.running).toEqual([makePlace('prod', 2)])
    expect(body.history.at(-1).event).toBe('Started running in retired#1 environment')
  })

  it('lists no environments when it never ran', async () => {
    const { body } = await app.reader.get(`/artifacts/acme/build/fingerprint/${C}`)
    expect(body).toMatchObject({ running: [], running_count: 0, exited: [], exited_count: 0 })
    expect(body).toMatchObject({ history: [{ event: 'c reported' }] })
  })

  it('lists at most a hundred exits, the newest first', async () => {
    await makeEnvironment(app, 'flapping')
    for (let i = 0; i < 51; i++) {
      await reportNext('flapping', 'ccccc')
      await reportNext('flapping')
    }
    await makeEnvironment(app, 'flapping-too')
    for (let i = 0; i < 51; i++) {
      await reportNext('flapping-too', 'ccccc')
      await reportNext('flapping-too')
    }
    const { body } = await app.reader.get(`/artifacts/acme/build/fingerprint/${C}`)
    expect(body.exited).toHaveLength(100)
    expect(body.exited_count).toBe(102)
    expect(body.exited[0]).toEqual(makePlace('flapping-too', 102))
    expect(body.exited[99]).toEqual(makePlace('flapping', 6))
  })

  it('is three waits for the database', async () => {
    const get = () => app.reader.get(`/artifacts/acme/build/fingerprint/${A}`)
    await get()
    expect(await recordWaits(app, get)).toHaveLength(3)
  })
})

describe('the search result', () => {
  it('lists the environments and the history', async () => {
    const { body } = await app.reader.get('/search/acme/sha/aaaaa')
    expect(body.artifacts).toHaveLength(2)
    for (const artifact of body.artifacts) {
      expect(artifact).toMatchObject({ running_in: ['prod'], exited_from: ['stage'] })
      expect(shiftTimes(artifact.history)).toEqual([
        { event: 'Artifact created', timestamp: 0 },
        ...HISTORY.slice(1).filter(({ event }) => event !== 'tests reported'),
      ])
    }
  })
})

describe('a flow', () => {
  it('returns when one of its artifacts was last deployed, even if another flow reported it first', async () => {
    const readLastDeployment = async (flow: string) =>
      (await app.reader.get(`/flows/acme/${flow}`)).body.last_deployment_at
    expect(await readLastDeployment('promote')).toBe(began + 5)
    expect(await readLastDeployment('build')).toBeGreaterThan(began + 5)
    expect(await readLastDeployment('idle')).toBeNull()
    const { body } = await app.reader.get('/flows/acme?search_by_name=promote')
    expect(body[0].last_deployment_at).toBe(began + 5)
  })
})

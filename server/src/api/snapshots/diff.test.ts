// GET /env-diff/{org}: compares two snapshots, of one environment or of two.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  attach,
  buildImageName,
  buildPodReport,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  report,
  STARTED_AT,
} from '../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../test/reports.ts'
import { makeStatementLog, recordWaits } from '../../../test/statement-log.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'build')
  await app.member.post('/artifacts/acme/build', makeBuild(makeFingerprint('b'), nameTrail('trail')))
  await makeEnvironment(app, 'prod')
  await makeEnvironment(app, 'beta')
  await makeEnvironment(app, 'empty')
  await report(app, 'prod', 'a', { start: 'b', pods: ['p'] }, 'c')
  await report(app, 'prod', { start: 'b', pods: ['p', 'q'] }, 'c', 'd')
  await report(app, 'beta', 'c')
})
afterAll(() => app.stop())

const diff = (one: string, two: string) =>
  app.reader.get(`/env-diff/acme?${new URLSearchParams({ snappish1: one, snappish2: two })}`)
const getNames = ({ artifacts }: { artifacts: { name: string }[] }) => artifacts.map(({ name }) => name)

describe('200', () => {
  it('sorts running artifacts into four lists', async () => {
    const { status, body } = await diff('prod#1', 'prod')
    expect(status).toBe(200)
    expect(body.snappish1.snapshot_id).toBe('prod#1')
    expect(body.snappish2.snapshot_id).toBe('prod#2')
    expect(getNames(body.snappish1)).toEqual([buildImageName('a')])
    expect(getNames(body.snappish2)).toEqual([buildImageName('d')])
    expect(getNames(body['not-changed'])).toEqual([buildImageName('c')])
    expect(body.changed.artifacts).toEqual([
      {
        fingerprint: makeFingerprint('b'),
        name: buildImageName('b'),
        flow: 'build',
        commit_url: 'https://git.example.com/1',
        most_recent_timestamp: STARTED_AT,
        pods: ['p', 'q'],
        s1_compliant: null,
        s2_compliant: null,
        s1_instance_count: 1,
        s2_instance_count: 2,
      },
    ])
  })

  it('compares environments with each other, and a snapshot with itself', async () => {
    const across = (await diff('beta', 'prod~1')).body
    expect(getNames(across.snappish1)).toEqual([])
    expect(getNames(across.snappish2)).toEqual([buildImageName('a'), buildImageName('b')])
    expect(getNames(across['not-changed'])).toEqual([buildImageName('c')])
    const same = (await diff('prod', 'prod#2')).body
    expect(getNames(same['not-changed'])).toHaveLength(3)
    expect(getNames(same.changed)).toEqual([])
  })

  it('pairs versions with their verdicts before and after, and links to the changes of the code', async () => {
    const [old, young] = ['1'.repeat(40), '2'.repeat(40)]
    const versions = { '2.4.6': { start: '1', sha: old }, '2.9.0': { start: '2', sha: young } }
    for (const { start, sha } of Object.values(versions))
      await app.member.post(
        '/artifacts/acme/build',
        makeBuild(makeFingerprint(start), {
          ...nameTrail(`v${start}`),
          commit_url: `https://git.example.com/acme/app/commit/${sha}`,
        }),
      )
    const run = (version: keyof typeof versions, ...more: string[]) => {
      const { artifacts } = buildPodReport(versions[version].start, ...more)
      const digests = { [`registry.example.com/app:${version}`]: makeFingerprint(versions[version].start) }
      const [first, ...others] = artifacts
      return app.snapshotter.put('/environments/acme/live/report/K8S', {
        artifacts: [{ ...first, digests }, ...others],
      })
    }
    await makeEnvironment(app, 'live')
    await run('2.4.6', 'b')
    await putPolicy(app, 'built', buildPolicyRequiring())
    await attach(app, 'live', 'built')
    await run('2.9.0', 'b', 'e')
    const { body } = await diff('live#1', 'live')
    expect(body.updated.artifacts).toEqual([
      {
        name: 'registry.example.com/app',
        s1_version: '2.4.6',
        s2_version: '2.9.0',
        s1_fingerprint: makeFingerprint('1'),
        s2_fingerprint: makeFingerprint('2'),
        s1_flow: 'build',
        s2_flow: 'build',
        s1_compliant: null,
        s2_compliant: true,
        code_diff_url: `https://git.example.com/acme/app/compare/${old}...${young}`,
      },
    ])
    expect(body.snappish1).toMatchObject({ compliant: null })
    expect(body.snappish2).toMatchObject({ compliant: false, timestamp: app.clock.now().getTime() / 1000 })
    expect(body.snappish2.artifacts.map(({ compliant }: { compliant: boolean }) => compliant)).toEqual([
      true,
      false,
    ])
    expect(body['not-changed'].artifacts).toMatchObject([{ s1_compliant: null, s2_compliant: true }])
    const back = (await diff('live', 'live#1')).body.updated.artifacts[0]
    expect([back.s1_version, back.s2_version, back.s2_compliant]).toEqual(['2.9.0', '2.4.6', null])
  })

  it('takes at most four round trips', async () => {
    await diff('prod~1', 'prod')
    expect((await recordWaits(app, () => diff('prod~1', 'prod'))).length).toBeLessThanOrEqual(4)
  })
})

const FORMS =
  ': a snapshot is env, env#N (-1 is the latest), env~N, env@{now}, env@{YYYY-MM-DDTHH:MM:SS} or env@{N.hours.ago}, also ' +
  'of days, weeks or months'

describe('400', () => {
  it.each(['', 'prod#0', 'prod#x', '#1', 'pro d'])('is for %j', async text => {
    const message = `Bad snappish ${text}${FORMS}`
    expect(await diff(text, 'prod')).toMatchObject({ status: 400, body: { message } })
  })
  it('is returned before any lookup, whichever of the two is invalid', async () => {
    await diff('prod', 'prod')
    const { waits, during } = makeStatementLog()
    const refused = await during(() => diff('nowhere', 'pro d'))
    expect(refused).toMatchObject({ status: 400, body: { message: `Bad snappish pro d${FORMS}` } })
    expect(waits).toEqual([])
  })
  it('names the parameter that is missing', async () => {
    const { status, body } = await app.reader.get('/env-diff/acme?snappish1=prod')
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual(['query.snappish2'])
  })
})

describe('404', () => {
  it.each([
    ['nowhere', "Environment named 'nowhere' does not exist for organization 'acme'"],
    [
      'empty',
      "Org: 'acme'. Snapshot 'empty' resolves to 'empty#0'. len(snapshots) == 0. Indexes are 1-based",
    ],
    [
      'prod#9',
      "Org: 'acme'. Snapshot 'prod#9' resolves to 'prod#9'. len(snapshots) == 2. Indexes are 1-based",
    ],
  ])('is for %s', async (text, message) => {
    expect(await diff('prod', text)).toMatchObject({ status: 404, body: { message } })
  })
})

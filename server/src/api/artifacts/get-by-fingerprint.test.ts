import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import {
  makeBuild,
  makeFingerprint,
  makeFlow,
  makeSuites,
  nameTrail,
  SHA,
  WIRE_ID,
} from '../../../test/reports.ts'
import { recordWaits } from '../../../test/statement-log.ts'

const ONE = makeFingerprint('abcde1')
const OTHER = makeFingerprint('abcde2')
const LEGACY = makeFingerprint('1e6ac')

let app: TestApp
let reported_at: number
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'ci')
  reported_at = app.clock.now().getTime() / 1000
  await app.member.post(
    '/artifacts/acme/ci',
    makeBuild(ONE, { ...nameTrail('run-1'), filename: 'image:first' }),
  )
  await app.member.post('/artifacts/acme/ci', makeBuild(OTHER, nameTrail('run-1', 'other')))
  await app.member.post('/artifacts/acme/ci', makeBuild(LEGACY))
})
afterAll(() => app.stop())

const get = (fingerprint: string, query = '', flow = 'ci') =>
  app.reader.get(`/artifacts/acme/${flow}/fingerprint/${fingerprint}${query}`)
const noSuchArtifact = (fingerprint: string) => ({
  message: `Artifact with fingerprint '${fingerprint}' does not exist in flow 'ci' belonging to organization 'acme'`,
})

const NOT_STATED = { collected_at: null, spooled: false, fingerprint_method: null }

describe('200', () => {
  it('returns the artifact', async () => {
    const { status, body } = await get(ONE)
    expect(status).toBe(200)
    const { id, html_url, ...artifact } = body
    expect(id).toMatch(WIRE_ID)
    expect(html_url).toBe(`http://waybill.test/acme/flows/ci/artifacts/${ONE}?artifact_id=${id}`)
    expect(artifact).toEqual({
      filename: 'image:first',
      fingerprint: ONE,
      flow_name: 'ci',
      trail_name: 'run-1',
      template_reference_name: 'image',
      state: 'COMPLIANT',
      is_compliant: null,
      template: null,
      git_commit: SHA,
      git_commit_info: null,
      commits_list: [],
      commit_url: 'https://git.example.com/1',
      build_url: 'https://ci.example.com/1',
      repo_url: '',
      repo_info: null,
      external_urls: {},
      annotations: {},
      user_data: {},
      description: '',
      created_by: 'max',
      created_at: reported_at,
      ...NOT_STATED,
      archived: false,
      running: [],
      running_count: 0,
      exited: [],
      exited_count: 0,
      reports_count: 1,
      history: [{ event: 'image reported', timestamp: reported_at }],
      reports: [
        {
          id: expect.stringMatching(WIRE_ID),
          filename: 'image:first',
          git_commit: SHA,
          git_commit_info: null,
          commit_url: 'https://git.example.com/1',
          build_url: 'https://ci.example.com/1',
          repo_url: '',
          annotations: {},
          description: '',
          is_compliant: null,
          reported_by: 'max',
          reported_at,
          ...NOT_STATED,
        },
      ],
    })
  })

  it('links to an artifact without a trail without an id', async () => {
    const { body } = await get(LEGACY)
    expect(body).toMatchObject({
      trail_name: null,
      template_reference_name: null,
      html_url: `http://waybill.test/acme/flows/ci/artifacts/${LEGACY}`,
    })
  })

  it.each([6, 7, 63, 64])('finds it by its first %i characters', async length => {
    expect((await get(ONE.slice(0, length))).body).toMatchObject({ fingerprint: ONE })
  })

  it('finds it by five characters when no other fingerprint starts with them', async () => {
    expect((await get(LEGACY.slice(0, 5))).body).toMatchObject({ fingerprint: LEGACY })
  })

  it('returns the newest report, or the one on the requested trail', async () => {
    const twice = makeFingerprint('77777')
    for (const trail of ['older', 'newer']) {
      await app.member.post('/artifacts/acme/ci', makeBuild(twice, nameTrail(trail)))
    }
    const trails = await Promise.all(
      ['', '?trail=', '?trail=older', '?trail=newer'].map(
        async query => (await get(twice, query)).body.trail_name,
      ),
    )
    expect(trails).toEqual(['newer', 'newer', 'older', 'newer'])
  })

  it('returns the report with an id, or the one that an attestation is about', async () => {
    const several = makeFingerprint('66666')
    for (const trail of ['first', 'second'])
      await app.member.post('/artifacts/acme/ci', makeBuild(several, nameTrail(trail)))
    await app.member.post('/attestations/acme/ci/trail/first/generic', {
      attestation_name: 'seen',
      is_compliant: true,
      artifact_fingerprint: several,
    })
    const [{ attestation_id }] = (await app.reader.get('/attestations/acme/ci/trail/first/seen')).body
    const { html_url } = (await get(several, '?trail=first')).body
    const report_id = new URL(html_url).searchParams.get('artifact_id')
    for (const id of [attestation_id, report_id])
      expect((await get(several, `?attestation_id=${id}`)).body.trail_name).toBe('first')
    expect((await get(several, '?attestation_id=')).body.trail_name).toBe('second')
    expect((await get(several, `?trail=second&attestation_id=${attestation_id}`)).status).toBe(404)
    expect((await get(ONE, `?attestation_id=${attestation_id}`)).status).toBe(404)
  })

  it('refuses an attestation id that is none', async () => {
    const { status, body } = await get(ONE, '?attestation_id=first')
    expect([status, Object.keys(body.errors)]).toEqual([400, ['query.attestation_id']])
  })

  it('uses the trail to tell two artifacts with the same prefix apart', async () => {
    await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('999991'), nameTrail('left')))
    await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('999992'), nameTrail('right')))
    expect((await get('99999', '?trail=right')).body.fingerprint).toBe(makeFingerprint('999992'))
  })

  it('returns its history with every attestation in order', async () => {
    const reported = makeFingerprint('55555')
    await app.member.post('/artifacts/acme/ci', makeBuild(reported, nameTrail('history')))
    const created_at = app.clock.now().getTime() / 1000
    for (const [attestation_name, failures] of [
      ['unit', 1],
      ['e2e', 0],
      ['unit', 0],
    ] as const) {
      app.clock.advance(1000)
      await app.member.post('/attestations/acme/ci/trail/history/junit', {
        attestation_name,
        artifact_fingerprint: reported,
        junit_results: makeSuites(failures),
      })
    }
    expect((await get(reported)).body.history).toEqual([
      { event: 'image reported', timestamp: created_at },
      { event: 'unit reported', timestamp: created_at + 1 },
      { event: 'e2e reported', timestamp: created_at + 2 },
      { event: 'unit reported', timestamp: created_at + 3 },
    ])
  })

  it('is found under a former name of its flow', async () => {
    await makeFlow(app, 'former')
    await app.member.post('/artifacts/acme/former', makeBuild(ONE, nameTrail('run')))
    await app.member.put('/flows/acme/former/rename', { new_name: 'current' })
    expect((await get(ONE, '', 'former')).body).toMatchObject({ flow_name: 'current' })
  })

  it('sends the same number of statements whatever it returns', async () => {
    await get(ONE)
    expect(await recordWaits(app, () => get(ONE))).toEqual(
      await recordWaits(app, () => get(makeFingerprint('55555'))),
    )
  })
})

describe('400', () => {
  it.each(['abcd', 'ABCDE', 'xyzxyz', `${ONE}0`])('refuses %s', async fingerprint => {
    const { status, body } = await get(fingerprint)
    expect(status).toBe(400)
    expect(body.errors).toEqual({
      fingerprint: `String should match pattern '^[a-f0-9]{5,64}$' [input: ${fingerprint}]`,
    })
  })

  it('says how many artifacts match the prefix', async () => {
    const { status, body } = await get('abcde')
    expect(status).toBe(400)
    expect(body).toEqual({ message: "Fingerprint 'abcde' matches 2 artifacts; use a longer prefix" })
  })
})

describe('403', () => {
  it('denies an org the caller does not belong to', async () => {
    expect((await app.outsider.get(`/artifacts/acme/ci/fingerprint/${ONE}`)).status).toBe(403)
  })
})

describe('404', () => {
  it.each([
    [makeFingerprint('0'), ''],
    ['00000', ''],
    [ONE, '?trail=elsewhere'],
  ])('names %s%s', async (fingerprint, query) => {
    const { status, body } = await get(fingerprint, query)
    expect(status).toBe(404)
    expect(body).toEqual(noSuchArtifact(fingerprint))
  })

  it('names the flow when the flow does not exist', async () => {
    const { status, body } = await get(ONE, '', 'nothing')
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Flow named 'nothing' does not exist for organization 'acme'" })
  })

  it('does not find the artifact of another flow', async () => {
    await makeFlow(app, 'elsewhere')
    await app.member.post('/artifacts/acme/elsewhere', makeBuild(makeFingerprint('ec'), nameTrail('run')))
    expect((await get(makeFingerprint('ec'))).body).toEqual(noSuchArtifact(makeFingerprint('ec')))
  })
})

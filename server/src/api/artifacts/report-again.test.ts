// Optional parts of an artifact report, and reporting an artifact again.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import {
  makeBuild,
  makeFingerprint,
  makeFlow,
  nameTrail,
  OTHER_SHA,
  readStoredRows,
  SHA,
} from '../../../test/reports.ts'
import { checkIntegrity } from '../../admin/check.ts'

const COMMIT = { sha1: SHA, message: 'Fix it', author: 'Ann', branch: 'main', timestamp: 1_772_539_200.5 }

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'ci')
})
afterAll(() => app.stop())

const report = (body: unknown, flow = 'ci') => app.member.post(`/artifacts/acme/${flow}`, body)
const readTrail = async (name: string) => (await app.reader.get(`/trails/acme/ci/${name}`)).body
const readArtifact = async (fingerprint: string) =>
  (await app.reader.get(`/artifacts/acme/ci/fingerprint/${fingerprint}`)).body

async function expectIntegrity(): Promise<void> {
  expect((await checkIntegrity(app.owner)).filter(({ ok }) => !ok)).toEqual([])
}

describe('201', () => {
  it('can include a template for the trail, which begins with it or is evaluated again with it', async () => {
    const template = 'version: 1\ntrail:\n  attestations:\n    - {name: review, type: generic}\n'
    expect(
      (await report(makeBuild(makeFingerprint('f1'), { ...nameTrail('own-template'), template }))).status,
    ).toBe(201)
    const begun = await readTrail('own-template')
    expect(begun.template.content).toBe(template)
    expect(begun.compliance_state).toBe('INCOMPLETE')
    expect(await readArtifact(makeFingerprint('f1'))).toMatchObject({ template })
    await report(makeBuild(makeFingerprint('f2'), nameTrail('other-template')))
    await report(makeBuild(makeFingerprint('f2'), { ...nameTrail('other-template'), template }))
    const changed = await readTrail('other-template')
    expect(changed.template.content).toBe(template)
    expect(changed.events.map(({ type }: { type: string }) => type)).toContain('trail_updated')
    await report(makeBuild(makeFingerprint('f2'), { ...nameTrail('other-template'), template }))
    const again = (await readTrail('other-template')).events.filter(
      ({ type }: { type: string }) => type === 'trail_updated',
    )
    expect(again).toMatchObject([{ changes: ['template'], user: 'max' }])
    await expectIntegrity()
  })

  it('returns what was reported: the declared compliance and the commits', async () => {
    const commits_list = [{ ...COMMIT, parents: [OTHER_SHA] }]
    await report(
      makeBuild(makeFingerprint('f3'), { ...nameTrail('read-back'), is_compliant: true, commits_list }),
    )
    expect(await readArtifact(makeFingerprint('f3'))).toMatchObject({
      is_compliant: true,
      template: null,
      commits_list,
    })
    await report(makeBuild(makeFingerprint('f3'), nameTrail('read-back')))
    expect(await readArtifact(makeFingerprint('f3'))).toMatchObject({ is_compliant: null, commits_list: [] })
  })

  it.each([
    'ssh://git@git.example:2222/acme/backend.git',
    'git://git.example/acme/backend',
    'file:///srv/git/backend.git',
    'git@git.example:acme/backend.git',
    'codecommit::eu-west-1://backend',
    'C:\\repos\\backend',
    '\\\\server\\share\\backend',
    '',
  ])('keeps the URL of a repository as sent: %s', async address => {
    const git_commit_info = { ...COMMIT, url: address }
    const repo_info = { id: '7', name: 'acme/backend', url: address }
    const sent = { ...nameTrail('origins'), repo_url: address, git_commit_info, repo_info }
    expect((await report(makeBuild(makeFingerprint('f8'), sent))).status).toBe(201)
    const shown = await readArtifact(makeFingerprint('f8'))
    expect([shown.repo_url, shown.git_commit_info.url, shown.repo_info.url]).toEqual(Array(3).fill(address))
  })

  it('can include a template without a trail, with which the artifact is evaluated', async () => {
    const template =
      'version: 1\ntrail:\n  artifacts:\n    - {name: image, attestations: [{name: a, type: junit}]}\n'
    await report(makeBuild(makeFingerprint('f5'), { template }))
    expect(await readArtifact(makeFingerprint('f5'))).toMatchObject({ state: 'INCOMPLETE', template })
  })
})

describe('400', () => {
  it('names the errors in a template, and stores nothing', async () => {
    const before = await readStoredRows(app)
    for (const place of [nameTrail('refused'), {}]) {
      const { status, body } = await report(
        makeBuild(makeFingerprint('f6'), { ...place, template: 'version: 1\ntrail: {attestatons: []}\n' }),
      )
      expect(status).toBe(400)
      expect(Object.keys(body.errors)).toEqual(['template.trail.attestatons'])
      expect(body.errors['template.trail.attestatons']).toContain('line 2, column 9')
      expect((await report(makeBuild(makeFingerprint('f6'), { ...place, template: '{' }))).status).toBe(400)
    }
    expect(await readStoredRows(app)).toEqual(before)
  })

  it('keeps no template of a report to a flow that does not exist', async () => {
    const count = async () => (await app.sql('select count(*)::int as n from templates'))[0]?.n
    const before = await count()
    const template = 'version: 1\ntrail: {attestations: [{name: only-here, type: junit}]}\n'
    expect(
      (await report(makeBuild(makeFingerprint('f7'), { ...nameTrail('t'), template }), 'no-flow')).status,
    ).toBe(404)
    expect((await report(makeBuild(makeFingerprint('f7'), { template }), 'no-flow')).status).toBe(404)
    expect(await count()).toBe(before)
  })
})

describe('201 again', () => {
  it('keeps every report, and finds the artifact by the commit of each', async () => {
    await report(makeBuild(makeFingerprint('e1'), { ...nameTrail('first'), annotations: { run: '1' } }))
    const first_at = app.clock.now().getTime() / 1000
    app.clock.advance(5000)
    const second = { filename: 'image:2', git_commit: OTHER_SHA, build_url: 'https://ci.example.com/2' }
    await app.admin.post(
      '/artifacts/acme/ci',
      makeBuild(makeFingerprint('e1'), { ...nameTrail('first'), ...second }),
    )
    const shown = await readArtifact(makeFingerprint('e1'))
    expect(shown).toMatchObject({ filename: 'image:2', git_commit: OTHER_SHA, created_by: 'max' })
    expect(shown.reports).toMatchObject([
      { ...second, annotations: {}, reported_by: 'ada', reported_at: first_at + 5 },
      {
        filename: 'image:1',
        git_commit: SHA,
        build_url: 'https://ci.example.com/1',
        annotations: { run: '1' },
        reported_by: 'max',
        reported_at: first_at,
      },
    ])
    expect(shown.history).toEqual([
      { event: 'image reported', timestamp: first_at },
      { event: 'image reported', timestamp: first_at + 5 },
    ])
    for (const sha of [SHA, OTHER_SHA]) {
      const found = (await app.reader.get(`/artifacts/acme/ci/commit_sha/${sha}?trail=first`)).body
      expect(found, sha).toMatchObject([{ fingerprint: makeFingerprint('e1') }])
      const { artifacts } = (await app.reader.get(`/search/acme/sha/${sha}`)).body
      expect(artifacts, sha).toContainEqual(expect.objectContaining({ fingerprint: makeFingerprint('e1') }))
    }
  })

  it('keeps every report without a trail as well', async () => {
    await report(makeBuild(makeFingerprint('e2')))
    await report(makeBuild(makeFingerprint('e2'), { filename: 'image:2' }))
    const { reports, history } = await readArtifact(makeFingerprint('e2'))
    expect(reports).toMatchObject([{ filename: 'image:2' }, { filename: 'image:1' }])
    expect(history.map(({ event }: { event: string }) => event)).toEqual([
      'Artifact created',
      'Artifact reported again',
    ])
  })
})

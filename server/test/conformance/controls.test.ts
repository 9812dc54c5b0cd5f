// Sections 2.11, 3 and 4.11, and approvals in 4.12 and 9: controls with their states, versions and decisions, the
// feature gate in front of them, and deprecated operations.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addControl, buildControlPolicy, buildDecision } from '../controls.ts'
import { attach, makeEnvironment, putPolicy } from '../environments.ts'
import { startTestApp, type TestApp } from '../harness.ts'
import { makeBuild, makeFingerprint, makeFlow } from '../reports.ts'

interface Documented {
  operationId: string
  deprecated?: boolean
  'x-beta'?: boolean
}

let app: TestApp
let documented: [string, Documented][]
beforeAll(async () => {
  app = await startTestApp()
  const { paths } = (await app.anonymous.get('/openapi.json')).body
  documented = Object.entries<Record<string, Documented>>(paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation): [string, Documented] => [path, operation]),
  )
})
afterAll(() => app.stop())

const read = async (identifier: string) => (await app.reader.get(`/controls/acme/${identifier}`)).body
const move = (identifier: string, way: string) => app.admin.post(`/controls/acme/${identifier}/${way}`, null)
const listControls = async (query = '') =>
  (await app.reader.get(`/controls/acme${query}`)).body.controls.map(
    ({ identifier }: { identifier: string }) => identifier,
  )
const listKinds = async (identifier: string) =>
  (await app.reader.get(`/controls/acme/${identifier}/versions`)).body.versions.map(
    ({ kind }: { kind: string }) => kind,
  )

describe('a control', () => {
  it('can be created and read', async () => {
    await addControl(app, 'created', { description: 'Two people look' })
    expect(await read('created')).toMatchObject({ identifier: 'created', description: 'Two people look' })
  })

  it('can be listed', async () => {
    await addControl(app, 'listed')
    expect(await listControls('?search=listed')).toEqual(['listed'])
  })

  it('can be updated', async () => {
    await addControl(app, 'updated')
    expect((await app.admin.put('/controls/acme/updated', { name: 'Another' })).status).toBe(200)
    expect(await read('updated')).toMatchObject({ name: 'Another', version: 2 })
  })

  it('has a version of kind Created from its creation', async () => {
    await addControl(app, 'first')
    expect(await listKinds('first')).toEqual(['Created'])
  })

  it('has a version of kind Edited for a change', async () => {
    await addControl(app, 'edited')
    await app.admin.put('/controls/acme/edited', { name: 'Another' })
    expect(await listKinds('edited')).toEqual(['Edited', 'Created'])
  })

  it('has decisions, which can be filtered by one or more flows', async () => {
    await addControl(app, 'decided')
    for (const flow of ['one', 'two', 'three']) {
      await makeFlow(app, flow)
      await app.member.put(`/trails/acme/${flow}`, { name: 't' })
      const path = `/attestations/acme/${flow}/trail/t/system`
      expect((await app.member.post(path, buildDecision('decided', true))).status).toBe(201)
    }
    const listFlows = async (query: string) =>
      (await app.reader.get(`/controls/acme/decided/decisions${query}`)).body.decisions
        .map(({ flow_name }: { flow_name: string }) => flow_name)
        .sort()
    expect(await listFlows('')).toEqual(['one', 'three', 'two'])
    expect(await listFlows('?flow_name=one')).toEqual(['one'])
    expect(await listFlows('?flow_name=one&flow_name=two')).toEqual(['one', 'two'])
  })

  it('has a coverage report', async () => {
    await addControl(app, 'covered')
    for (const name of ['with', 'without']) await makeEnvironment(app, name)
    expect((await putPolicy(app, 'covering', buildControlPolicy('covered'))).status).toBe(201)
    await attach(app, 'with', 'covering')
    const { status, body } = await app.reader.get('/controls/acme/covered/coverage')
    expect(status).toBe(200)
    expect(body).toMatchObject({ total: 2, covered: 1, coverage_percent: 50 })
  })

  it('is required in a flow template by the type decision', async () => {
    const template = 'version: 1\ntrail:\n  attestations:\n    - {name: on-slot, type: decision}\n'
    await makeFlow(app, 'templated', template)
    await app.member.put('/trails/acme/templated', { name: 't' })
    await addControl(app, 'slot')
    const state = async () => (await app.reader.get('/trails/acme/templated/t')).body.compliance_status.status
    expect(await state()).toBe('INCOMPLETE')
    await app.member.post('/attestations/acme/templated/trail/t/system', buildDecision('slot', true))
    expect(await state()).toBe('COMPLIANT')
  })
})

describe('archiving a control', () => {
  it('marks it as archived and removes it from the active list', async () => {
    await addControl(app, 'away')
    expect((await move('away', 'archive')).status).toBe(200)
    expect((await read('away')).archived).toBe(true)
    expect(await listControls('?search=away')).toEqual([])
    expect(await listControls('?search=away&archived=true')).toEqual(['away'])
  })

  it('records a version of kind Archived and keeps the others', async () => {
    await addControl(app, 'kept')
    await app.admin.put('/controls/acme/kept', { name: 'Another' })
    await move('kept', 'archive')
    expect(await listKinds('kept')).toEqual(['Archived', 'Edited', 'Created'])
  })

  it('keeps the decisions that were made', async () => {
    await addControl(app, 'history')
    await makeFlow(app, 'kept-decision')
    await app.member.put('/trails/acme/kept-decision', { name: 't' })
    await app.member.post('/attestations/acme/kept-decision/trail/t/system', buildDecision('history', true))
    await move('history', 'archive')
    expect((await app.reader.get('/controls/acme/history/decisions')).body.decisions).toHaveLength(1)
  })

  it.each(['archive', 'unarchive'])('needs a control that exists: %s', async way => {
    const { status, body } = await move('none', way)
    expect([status, body]).toEqual([404, { message: "Control 'none' does not exist in org 'acme'" }])
  })
})

describe('unarchiving a control', () => {
  it('makes it active again and puts it back into the list', async () => {
    await addControl(app, 'back')
    await move('back', 'archive')
    expect((await move('back', 'unarchive')).status).toBe(200)
    expect((await read('back')).archived).toBe(false)
    expect(await listControls('?search=back')).toEqual(['back'])
  })

  it('records a version of kind Unarchived', async () => {
    await addControl(app, 'again')
    await move('again', 'archive')
    await move('again', 'unarchive')
    expect(await listKinds('again')).toEqual(['Unarchived', 'Archived', 'Created'])
  })
})

describe('the gate', () => {
  it('is open for an org unless it is closed, and returns 403 then', async () => {
    const setGate = (controls: boolean) => app.admin.patch('/organizations/acme', { features: { controls } })
    expect((await app.reader.get('/controls/acme')).status).toBe(200)
    await setGate(false)
    const { status, body } = await app.reader.get('/controls/acme')
    await setGate(true)
    expect([status, Object.keys(body)]).toEqual([403, ['message']])
    expect((await app.reader.get('/controls/acme')).status).toBe(200)
  })

  it('covers operations that are all marked as beta', () => {
    const about = documented.filter(([path]) => path.startsWith('/controls/'))
    expect(about.length).toBeGreaterThan(8)
    expect(about.filter(([, operation]) => operation['x-beta'] !== true)).toEqual([])
  })

  it('covers paths with a parameter called identifier', () => {
    const paths = documented.map(([path]) => path)
    expect(paths).toEqual(
      expect.arrayContaining([
        '/controls/{org}/{identifier}/archive',
        '/controls/{org}/{identifier}/unarchive',
      ]),
    )
  })
})

describe('approvals', () => {
  it('are marked as deprecated in the document, all of them', () => {
    const about = documented.filter(([path]) => path.includes('approvals'))
    expect(about.length).toBeGreaterThanOrEqual(3)
    expect(about.filter(([, { deprecated }]) => deprecated !== true)).toEqual([])
  })

  it('can still be created, listed and read, with a Deprecation header', async () => {
    await makeFlow(app, 'old')
    await app.member.post('/artifacts/acme/old', makeBuild(makeFingerprint('a')))
    const request = {
      artifact_fingerprint: makeFingerprint('a'),
      description: 'go',
      src_commit_list: [],
      approvals: [],
    }
    const made = await app.member.post('/approvals/acme/old', request)
    const list = await app.reader.get('/approvals/acme/old')
    const one = await app.reader.get('/approvals/acme/old/1')
    expect([made.status, list.status, one.status]).toEqual([201, 200, 200])
    expect(list.body).toEqual([one.body])
    for (const { headers } of [made, list, one]) expect(headers.deprecation).toMatch(/^@\d+$/)
  })
})

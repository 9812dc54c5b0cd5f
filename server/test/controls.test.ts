// Controls end to end: a control is created, a policy and a template require a decision on it, the decision is made,
// and the verdict changes.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addControl, buildControlPolicy, buildDecision } from './controls.ts'
import { attach, makeEnvironment, putPolicy, report } from './environments.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from './reports.ts'

const TEMPLATE = `version: 1
trail:
  attestations:
    - {name: released, type: decision}
  artifacts:
    - name: image
      attestations:
        - {name: four-eyes, type: decision}
`

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await addControl(app, 'SDLC-1')
  await makeFlow(app, 'build', TEMPLATE)
  await app.member.put('/trails/acme/build', { name: 'run' })
  await app.member.post('/artifacts/acme/build', makeBuild(makeFingerprint('a'), nameTrail('run')))
})
afterAll(() => app.stop())

const decide = (name: string, is_compliant: boolean, more: Record<string, unknown> = {}) =>
  app.member.post(
    '/attestations/acme/build/trail/run/system',
    buildDecision('SDLC-1', is_compliant, { attestation_name: name, ...more }),
  )
const readTrailState = async () => (await app.reader.get('/trails/acme/build/run')).body.compliance_state
const readEnvironmentState = async () => {
  await app.evaluate()
  return (await app.reader.get('/environments/acme/prod')).body.state
}

it('a decision changes a trail whose template requires decisions', async () => {
  expect(await readTrailState()).toBe('INCOMPLETE')
  await decide('released', true)
  expect(await readTrailState()).toBe('INCOMPLETE')
  await decide('four-eyes', false, { artifact_fingerprint: makeFingerprint('a') })
  expect(await readTrailState()).toBe('NON-COMPLIANT')
  await decide('four-eyes', true, { artifact_fingerprint: makeFingerprint('a') })
  expect(await readTrailState()).toBe('COMPLIANT')
})

it('only a decision satisfies a template that requires one', async () => {
  await app.member.put('/trails/acme/build', { name: 'other' })
  const generic = { attestation_name: 'released', is_compliant: true }
  await app.member.post('/attestations/acme/build/trail/other/generic', generic)
  expect((await app.reader.get('/trails/acme/build/other')).body.compliance_state).not.toBe('COMPLIANT')
})

it('a decision changes an environment whose policy requires it, even after the control is archived', async () => {
  await addControl(app, 'SDLC-2')
  const onIt = (is_compliant: boolean) =>
    app.member.post('/attestations/acme/build/trail/run/system', buildDecision('SDLC-2', is_compliant))
  await makeEnvironment(app, 'prod')
  await putPolicy(app, 'asks', buildControlPolicy('SDLC-2'))
  await attach(app, 'prod', 'asks')
  await report(app, 'prod', 'a')
  expect(await readEnvironmentState()).toBe(false)
  await onIt(true)
  expect(await readEnvironmentState()).toBe(true)
  await app.admin.post('/controls/acme/SDLC-2/archive', null)
  expect(await readEnvironmentState()).toBe(true)
  await onIt(false)
  expect(await readEnvironmentState()).toBe(false)
  const { body } = await app.reader.get('/controls/acme/SDLC-2/decisions')
  const versions = body.decisions.map((one: { control_version: number }) => one.control_version)
  expect(versions).toEqual([2, 1])
})

it('the audit log includes the events of a control', async () => {
  const { body } = await app.admin.get('/audit-events/acme?control=SDLC-2')
  const kinds = body.events.map(({ kind }: { kind: string }) => kind)
  expect(kinds).toEqual(['control_archived', 'control_created'])
  expect((await app.admin.get('/audit-events/acme?control=nothing')).body.events).toEqual([])
  expect((await app.admin.get('/audit-events/acme?control=a&flow_name=b')).status).toBe(400)
})

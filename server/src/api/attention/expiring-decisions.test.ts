// GET /attention/{org}: decisions on controls that expire soon and that running artifacts depend on.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addControl, buildControlPolicy, buildDecision } from '../../../test/controls.ts'
import { attach, makeEnvironment, putPolicy, report } from '../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { addPerson } from '../../../test/people.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../test/reports.ts'

const DAY_S = 86_400
const SHOWN = 20
/** More than are shown. */
const CONTROLS = Array.from({ length: 25 }, (_, i) => `C-${i}`)

let app: TestApp
let now_s: number
beforeAll(async () => {
  app = await startTestApp()
  now_s = app.clock.now().getTime() / 1000
  await makeFlow(app, 'build')
  for (const control of ['RISK', ...CONTROLS]) await addControl(app, control)
  await putPolicy(app, 'risk', buildControlPolicy('RISK'))
  await putPolicy(app, 'all', buildControlPolicy(...CONTROLS))
})
afterAll(() => app.stop())

const decide = (trail: string, days: number, control = 'RISK', more: Record<string, unknown> = {}) =>
  app.member.post(
    `/attestations/acme/build/trail/${trail}/system`,
    buildDecision(control, true, { expires_at: now_s + days * DAY_S, ...more }),
  )

async function run(trail: string, start: string, policy = 'risk'): Promise<void> {
  await app.member.post('/artifacts/acme/build', makeBuild(makeFingerprint(start), nameTrail(trail)))
  await makeEnvironment(app, trail)
  await attach(app, trail, policy)
  await report(app, trail, start)
}

const read = async (client = app.reader) => (await client.get('/attention/acme')).body
const listTrails = async () =>
  (await read()).expiring_decisions.map(({ trail_name }: { trail_name: string }) => trail_name)

describe('200', () => {
  it('has those that expire within 14 days and meet a rule for something that runs, soonest first', async () => {
    await run('later', '1a')
    await decide('later', 14)
    await run('sooner', '2a')
    await decide('sooner', 2, 'RISK', { artifact_fingerprint: makeFingerprint('2a') })
    await app.evaluate()
    const body = await read()
    expect(body).toMatchObject({
      expiring_decision_count: 2,
      expiring_decisions: [{}, { trail_name: 'later' }],
    })
    const found = await app.reader.get(`/attestations/acme?attestation_id=${body.expiring_decisions[0].id}`)
    expect(found.body.data[0]).toMatchObject({ attestation_name: 'on-RISK', trail_name: 'sooner' })
    expect(body.expiring_decisions[0]).toEqual({
      id: expect.any(String),
      control: 'RISK',
      attestation_name: 'on-RISK',
      flow_name: 'build',
      trail_name: 'sooner',
      artifact_fingerprint: makeFingerprint('2a'),
      artifact_name: expect.any(String),
      decided_by: 'max',
      decided_at: now_s,
      expires_at: now_s + 2 * DAY_S,
      environments: ['sooner'],
    })
    expect(body.expiring_decisions[1]).toMatchObject({ artifact_fingerprint: null, artifact_name: null })
  })

  it('shows the same to auditors, and nothing to another organization', async () => {
    const auditor = await addPerson(app, 'otto', 'auditor')
    expect((await read(auditor)).expiring_decisions).toEqual((await read()).expiring_decisions)
    const { body } = await app.outsider.get('/attention/other-corp')
    expect(body).toMatchObject({ expiring_decisions: [], expiring_decision_count: 0 })
  })

  it('has none that expires later, was replaced, counts for nothing that runs, or has expired', async () => {
    await run('in-time', '3a')
    await decide('in-time', 15)
    await run('replaced', '4a')
    await decide('replaced', 3)
    await decide('replaced', 30, 'RISK', { attestation_name: 'anew' })
    await run('stopped', '5a')
    await decide('stopped', 3)
    await app.evaluate()
    await report(app, 'stopped', '6a')
    await app.member.put('/trails/acme/build', { name: 'never-ran' })
    await decide('never-ran', 3)
    await run('not-required', '7a')
    await decide('not-required', 3, 'OTHER')
    await run('archived', '8a')
    await decide('archived', 3)
    await app.evaluate()
    expect(await listTrails()).toContain('archived')
    await app.admin.put('/environments/acme/archived/archive', null)
    expect(await listTrails()).toEqual(['sooner', 'later'])
    app.clock.advance(2 * DAY_S * 1000)
    expect(await listTrails()).toEqual(['later', 'in-time'])
  })

  it('is bounded, and says how many there are', async () => {
    await run('many', '9a', 'all')
    for (const [i, control] of CONTROLS.entries()) await decide('many', 4 + i / 100, control)
    await app.evaluate()
    const { expiring_decisions, expiring_decision_count } = await read()
    expect(expiring_decisions).toHaveLength(SHOWN)
    expect(expiring_decisions[0]).toMatchObject({ control: 'C-0', environments: ['many'] })
    expect(expiring_decision_count).toBe(CONTROLS.length + 2)
  })
})

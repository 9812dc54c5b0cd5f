// An organization that is the same on every machine and every day: the clock stands still, and no value is random. Pictures
// are taken of it.
import { expect } from 'vitest'
import { attach, makeEnvironment, putPolicy, report } from '../environments.ts'
import { makeFile, type TestApp, type TestResponse } from '../harness.ts'
import { makeBuild, makeFingerprint } from '../reports.ts'

const HOUR_MS = 3_600_000
export const FLOW = 'payments'
const TEMPLATE = `version: 1
trail:
  attestations:
    - {name: change-ticket, type: generic}
  artifacts:
    - name: image
      attestations:
        - {name: unit-tests, type: generic}
        - {name: scan, type: generic}
`
const POLICY = `_schema: https://waybill.example/schemas/policy/v1
artifacts:
  provenance:
    required: true
  attestations:
    - {name: scan, type: generic}
`
/** The start of the fingerprint of each release; the last one has no scan. */
const RELEASES = ['a1', 'a2', 'a3', 'a4', 'a5']
export const RED = RELEASES.at(-1) ?? ''

export async function fillPictureOrg(app: TestApp): Promise<void> {
  await fillCatalogue(app)
  for (const start of RELEASES) {
    app.clock.advance(5 * HOUR_MS)
    await release(app, start)
  }
  must(await makeEnvironment(app, 'staging', { description: 'Before production' }))
  must(await makeEnvironment(app, 'production', { description: 'What customers use' }))
  must(await makeEnvironment(app, 'edge', { expected_report_interval: 600 }))
  must(await attach(app, 'production', 'live-rules'))
  must(await attach(app, 'staging', 'live-rules'))
  must(await report(app, 'edge', 'b1'))
  for (const [position, start] of RELEASES.entries()) {
    app.clock.advance(HOUR_MS)
    must(await report(app, 'staging', start))
    must(await report(app, 'production', ...RELEASES.slice(0, position + 1), 'b1'))
    await app.evaluate()
  }
  app.clock.advance(2 * HOUR_MS)
  await app.evaluate()
}

async function fillCatalogue(app: TestApp): Promise<void> {
  const flow = { name: FLOW, description: 'Builds, tests and releases the payments service' }
  must(
    await app.member.form('PUT', '/flows/acme/template_file', {
      data_json: JSON.stringify(flow),
      template_file: makeFile(TEMPLATE),
    }),
  )
  must(await app.member.put('/flows/acme', { name: 'website', description: 'What customers see first' }))
  must(await putPolicy(app, 'live-rules', POLICY))
  must(await putPolicy(app, 'draft-rules', POLICY))
  for (const [identifier, name] of [
    ['REL-01', 'A person decides on every release'],
    ['SDLC-07', 'Every change is reviewed'],
    ['SEC-02', 'Every image is scanned'],
  ])
    must(await app.admin.post('/controls/acme', { identifier, name }))
}

async function release(app: TestApp, start: string): Promise<void> {
  const trail_name = `release-${start}`
  const on = `/attestations/acme/${FLOW}/trail/${trail_name}/generic`
  const artifact_fingerprint = makeFingerprint(start)
  must(await app.member.put(`/trails/acme/${FLOW}`, { name: trail_name, description: 'Settle in batches' }))
  must(await app.member.post(on, { attestation_name: 'change-ticket', is_compliant: true }))
  const build = makeBuild(artifact_fingerprint, {
    filename: `registry.example.com/${start}:1`,
    trail_name,
    template_reference_name: 'image',
  })
  must(await app.member.post(`/artifacts/acme/${FLOW}`, build))
  for (const attestation_name of start === RED ? ['unit-tests'] : ['unit-tests', 'scan'])
    must(await app.member.post(on, { attestation_name, artifact_fingerprint, is_compliant: true }))
}

function must(answer: TestResponse): void {
  expect(answer.status, answer.text).toBeLessThan(300)
}

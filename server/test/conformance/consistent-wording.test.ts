// Texts that appear in several places are the same everywhere: state labels, and the reasons of a red verdict.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  attach,
  buildImageName,
  makeEnvironment,
  putPolicy,
  readLatestSnapshot,
  report,
} from '../environments.ts'
import { startTestApp, type TestApp } from '../harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../reports.ts'

const TEMPLATE = `version: 1
trail:
  artifacts:
    - name: image
      attestations:
        - {name: unit, type: generic}
`
const POLICY = `_schema: https://waybill.example/v1
artifacts:
  provenance: {required: true}
  trail-compliance: {required: true}
  attestations:
    - {name: scan, type: snyk}
`

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await putPolicy(app, 'strict', POLICY)
  await putPolicy(app, 'lax', '_schema: https://waybill.example/v1\n')
})
afterAll(() => app.stop())

/** Reports a build in a separate flow, with evidence of this compliance or with none. */
async function reportBuild(start: string, is_compliant?: boolean): Promise<void> {
  const flow = `flow-${start}`
  await makeFlow(app, flow, TEMPLATE)
  const sent = makeBuild(makeFingerprint(start), { ...nameTrail('trail'), filename: buildImageName(start) })
  expect((await app.member.post(`/artifacts/acme/${flow}`, sent)).status).toBe(201)
  if (is_compliant === undefined) return
  const evidence = { attestation_name: 'unit', artifact_fingerprint: makeFingerprint(start), is_compliant }
  const path = `/attestations/acme/${flow}/trail/trail/generic`
  expect((await app.member.post(path, evidence)).status).toBe(201)
}

/** RFC 4180, without line breaks in a cell. */
async function readAuditLog(environment: string): Promise<Record<string, string>[]> {
  const { text } = await app.reader.get(`/environments/acme/${environment}/auditlog`)
  const [header = [], ...rows] = text
    .trim()
    .split(/\r?\n/)
    .map(line =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
      ),
    )
  return rows.map(row => Object.fromEntries(header.map((name, i) => [name, row[i] ?? ''])))
}

describe('the label of a state', () => {
  it.each([
    ['COMPLIANT', 'a1', true],
    ['NON-COMPLIANT', 'a2', false],
    ['INCOMPLETE', 'a3', undefined],
  ])('is %s wherever the state of a build is shown', async (label, start, is_compliant) => {
    await reportBuild(start, is_compliant)
    const get = async (path: string) => (await app.reader.get(path)).body
    const trail = await get(`/trails/acme/flow-${start}/trail`)
    expect([trail.compliance_state, trail.compliance_status.status]).toEqual([label, label])
    expect(trail.compliance_status.artifacts_statuses.image.status).toBe(label)
    const [listed] = (await get(`/trails/acme?flow=flow-${start}`)).data
    expect(listed.compliance_state).toBe(label)
    expect((await get(`/flows/acme/flow-${start}`)).latest_state).toBe(label)
    const artifact = await get(`/artifacts/acme/flow-${start}/fingerprint/${makeFingerprint(start)}`)
    expect(artifact.state).toBe(label)
    const asserted = await get(`/asserts/acme/fingerprint/${makeFingerprint(start)}?flow_name=flow-${start}`)
    expect(asserted.compliant).toBe(label === 'COMPLIANT')
  })

  it.each([
    ['COMPLIANT', 'lax'],
    ['NON-COMPLIANT', 'strict'],
  ])('is %s wherever the state of a running artifact is shown', async (label, policy) => {
    await makeEnvironment(app, policy)
    await attach(app, policy, policy)
    await report(app, policy, 'b1')
    const { artifacts } = await readLatestSnapshot(app, policy)
    expect(artifacts).toMatchObject([{ compliance_state: label, policy_decisions: [{ status: label }] }])
    const [row] = await readAuditLog(policy)
    expect([row?.artifact_compliance, row?.snapshot_compliance]).toEqual([label, label])
  })
})

describe('the reasons of a red verdict', () => {
  it('are the same in the CSV as in the API, for every artifact and in order', async () => {
    await reportBuild('c1', false)
    await reportBuild('c2')
    await makeEnvironment(app, 'explained')
    await attach(app, 'explained', 'strict')
    await report(app, 'explained', 'c1', 'c2', 'c3')
    const { artifacts } = await readLatestSnapshot(app, 'explained')
    const given = artifacts.map(
      (shown: { fingerprint: string; reasons_for_incompliance: { description: string }[] }) => [
        shown.fingerprint,
        shown.reasons_for_incompliance.map(({ description }) => description).join('; '),
      ],
    )
    const rows = await readAuditLog('explained')
    expect(Object.fromEntries(rows.map(row => [row.fingerprint, row.reasons]))).toEqual(
      Object.fromEntries(given),
    )
    expect(rows.map(({ reasons }) => reasons?.split('; ').length)).toEqual([2, 2, 3])
    expect(new Set(rows.map(({ reasons }) => reasons)).size).toBe(3)
  })
})

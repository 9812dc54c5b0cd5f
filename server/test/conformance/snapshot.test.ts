// Section 2.6: every field of a snapshot, of its running artifacts, of their flows and of the artifacts they replaced.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  attach,
  buildImageName,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  report,
} from '../environments.ts'
import { startTestApp, type TestApp } from '../harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../reports.ts'
import { expectKind, type Kind, readValue } from './fields.ts'

const TEMPLATE =
  'version: 1\ntrail:\n  artifacts:\n    - name: image\n      attestations:\n        - {name: tests, type: junit}\n'
const HOUR_MS = 3_600_000
const OLD = '1'.repeat(40)
const NEW = '2'.repeat(40)
const buildCommitUrl = (sha: string) => `https://git.example.com/acme/backend/commit/${sha}`

let app: TestApp
let first: unknown
let second: { artifacts: { fingerprint: string }[] }
/** The artifact that started in the second snapshot, which also contains the one that exited. */
let started: unknown
let task: unknown
let run: unknown
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'build', TEMPLATE)
  await reportBuild('a', OLD)
  await reportBuild('b', NEW)
  await makeEnvironment(app, 'prod')
  await putPolicy(app, 'strict', buildPolicyRequiring('unit'))
  await attach(app, 'prod', 'strict')
  await report(app, 'prod', 'a')
  app.clock.advance(HOUR_MS)
  await report(app, 'prod', { start: 'b', pods: ['p1', 'p2'] })
  first = await readSnapshot('prod', '1')
  second = await readSnapshot('prod', '2')
  started = second.artifacts.find(({ fingerprint }) => fingerprint === makeFingerprint('b'))
  task = await reportAndRead('ECS', { taskArn: 'arn:1', cluster_name: 'c', service_name: 's' })
  run = await reportAndRead('cloud-run', {
    kind: 'service',
    serviceName: 's',
    revisionName: 'r',
    jobName: 'j',
  })
})
afterAll(() => app.stop())

async function reportBuild(start: string, git_commit: string): Promise<void> {
  const git_commit_info = { sha1: git_commit, timestamp: 1_772_539_100.5, branch: 'main' }
  const more = {
    git_commit,
    git_commit_info,
    commit_url: buildCommitUrl(git_commit),
    filename: buildImageName('app'),
  }
  const body = makeBuild(makeFingerprint(start), { ...nameTrail(`trail-${start}`), ...more })
  expect((await app.member.post('/artifacts/acme/build', body)).status).toBe(201)
}

const readSnapshot = async (environment: string, expression: string) =>
  (await app.reader.get(`/snapshots/acme/${environment}/${expression}`)).body

/** Reports one running artifact in a new environment of this type; returns its snapshot. */
async function reportAndRead(type: string, element: Record<string, unknown>): Promise<unknown> {
  await makeEnvironment(app, type, { type })
  const digests = { 'image:1': makeFingerprint('c') }
  const artifacts = [{ digests, creationTimestamp: 1_772_539_200, ...element }]
  const done = await app.snapshotter.put(`/environments/acme/${type}/report/${type}`, { artifacts })
  expect(done.status).toBe(200)
  return readSnapshot(type, '-1')
}

describe('a snapshot', () => {
  it.each<[string, Kind, unknown]>([
    ['index', 'an integer', 1],
    ['is_latest', 'a boolean', false],
    ['artifact_compliance_count', 'an object', { true: 0, false: 1, null: 0 }],
    ['timestamp', 'a number', Date.UTC(2026, 2, 3, 12) / 1000],
    ['type', 'a string', 'K8S'],
    ['compliant', 'a boolean', false],
    ['html_url', 'a string', 'http://waybill.test/acme/environments/prod/snapshots/1'],
    ['artifacts', 'an array of objects', [expect.objectContaining({ fingerprint: makeFingerprint('a') })]],
    ['applied_policies', 'an array of objects', [expect.objectContaining({ name: 'strict', version: 1 })]],
    ['next_snapshot_timestamp', 'a number', Date.UTC(2026, 2, 3, 13) / 1000],
  ])('has %s, %s', (field, kind, value) => {
    expectKind(first, field, kind)
    expect(readValue(first, field)).toEqual(value)
  })

  it('that is the latest has no next one', () => {
    expect(second).toMatchObject({ index: 2, is_latest: true, next_snapshot_timestamp: null })
  })
})

describe('a running artifact', () => {
  it.each<[string, Kind, unknown]>([
    ['name', 'a string', buildImageName('b')],
    ['fingerprint', 'a string', makeFingerprint('b')],
    ['creationTimestamp', 'an array of integers', [1_772_539_200, 1_772_539_200]],
    ['annotation', 'an object', { type: 'started-non-compliant', was: 0, now: 2 }],
    ['flow_name', 'a string', 'build'],
    ['git_commit', 'a string', NEW],
    ['commit_url', 'a string', buildCommitUrl(NEW)],
    ['html_url', 'a string', expect.stringContaining(`/acme/flows/build/artifacts/${makeFingerprint('b')}`)],
    ['flow_html_url', 'a string', 'http://waybill.test/acme/flows/build'],
    ['flows', 'an array of objects', [expect.objectContaining({ flow_name: 'build' })]],
    ['compliant', 'a boolean', false],
    ['deployments', 'an array', []],
    ['policy_decisions', 'an array of objects', [expect.objectContaining({ policy_name: 'strict' })]],
    ['policy_decisions[0].policy_version', 'an integer', 1],
    ['policy_decisions[0].status', 'a string', 'NON-COMPLIANT'],
    ['policy_decisions[0].policy_name', 'a string', 'strict'],
    ['policy_decisions[0].rule_evaluations', 'an array of objects', expect.any(Array)],
    [
      'reasons_for_incompliance',
      'an array of objects',
      [expect.objectContaining({ type: 'missing_attestation' })],
    ],
    ['pods', 'an object', expect.objectContaining({ p1: expect.anything(), p2: expect.anything() })],
    ['deployment_diff', 'an object', expect.objectContaining({ previous_fingerprint: makeFingerprint('a') })],
    ['commit_lead_time', 'a number', 99.5],
  ])('has %s, %s', (field, kind, value) => {
    expectKind(started, field, kind)
    expect(readValue(started, field)).toEqual(value)
  })

  it.each<[string, Kind, unknown]>([
    ['task_arn', 'a string', 'arn:1'],
    ['cluster_name', 'a string', 'c'],
    ['service_name', 'a string', 's'],
  ])('has %s, %s, in container_task_context', (field, kind, value) => {
    expectKind(task, `artifacts[0].container_task_context.${field}`, kind)
    expect(readValue(task, `artifacts[0].container_task_context.${field}`)).toBe(value)
  })

  it.each<[string, Kind, unknown]>([
    ['kind', 'a string', 'service'],
    ['revision_name', 'a string', 'r'],
    ['service_name', 'a string', 's'],
    ['job_name', 'a string', 'j'],
  ])('has %s, %s, in serverless_run_context', (field, kind, value) => {
    expectKind(run, `artifacts[0].serverless_run_context.${field}`, kind)
    expect(readValue(run, `artifacts[0].serverless_run_context.${field}`)).toBe(value)
  })
})

describe('a flow of a running artifact', () => {
  it.each<[string, Kind, unknown]>([
    ['flow_name', 'a string', 'build'],
    ['git_commit', 'a string', NEW],
    ['commit_url', 'a string', buildCommitUrl(NEW)],
    ['html_url', 'a string', expect.stringContaining(`/artifacts/${makeFingerprint('b')}`)],
    ['flow_html_url', 'a string', 'http://waybill.test/acme/flows/build'],
    ['trail_name', 'a string', 'trail-b'],
    ['template_reference_name', 'a string', 'image'],
    ['git_commit_info', 'an object', expect.objectContaining({ sha1: NEW, branch: 'main' })],
    ['deployment_diff', 'an object', expect.objectContaining({ previous_git_commit: OLD })],
    ['commit_lead_time', 'a number', 99.5],
    ['artifact_compliance_in_flow', 'a boolean', false],
    [
      'flow_reasons_for_non_compliance',
      'an array of objects',
      [expect.objectContaining({ flow_name: 'build', trail_name: 'trail-b' })],
    ],
  ])('has %s, %s', (field, kind, value) => {
    expectKind(started, `flows[0].${field}`, kind)
    expect(readValue(started, `flows[0].${field}`)).toEqual(value)
  })
})

describe('the artifact that it replaced', () => {
  it.each<[string, Kind, unknown]>([
    ['diff_url', 'a string', `https://git.example.com/acme/backend/compare/${OLD}...${NEW}`],
    ['previous_git_commit', 'a string', OLD],
    ['previous_git_commit_url', 'a string', buildCommitUrl(OLD)],
    ['previous_fingerprint', 'a string', makeFingerprint('a')],
    ['previous_artifact_name', 'a string', buildImageName('a')],
    ['previous_artifact_compliance_state', 'a string', 'INCOMPLETE'],
    ['previous_running', 'a boolean', false],
    ['previous_trail_name', 'a string', 'trail-a'],
    ['previous_template_reference_name', 'a string', 'image'],
  ])('has %s, %s', (field, kind, value) => {
    expectKind(started, `deployment_diff.${field}`, kind)
    expect(readValue(started, `deployment_diff.${field}`)).toEqual(value)
  })
})

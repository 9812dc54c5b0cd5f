// Decisions that expire: which requests are rejected, what happens to running artifacts, and where it shows.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addControl, buildControlPolicy, buildDecision } from '../../../../test/controls.ts'
import {
  attach,
  buildImageName,
  makeEnvironment,
  putPolicy,
  readLatestSnapshot,
  report,
} from '../../../../test/environments.ts'
import { makeFile, startTestApp, type TestApp } from '../../../../test/harness.ts'
import { findOscalProblems } from '../../../../test/oscal.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../../test/reports.ts'
import { checkIntegrity } from '../../../admin/check.ts'
import { makeCompiledPolicies } from '../../../evaluation/compiled-policies.ts'
import { expireDecisions } from '../../../evaluation/expire-decisions.ts'
import { listOrgsWithExpired } from '../../../evaluation/expiring-decisions-store.ts'
import { makeRound } from '../../../evaluation/loop.ts'
import { makeIds } from '../../../lib/ids.ts'
import { makeLog } from '../../../lib/log.ts'
import { makeWorkCounters } from '../../../lib/work-counters.ts'

const HOUR_S = 3600
const MINUTE_MS = 60_000
const POLICY = 'needs-risk'

let app: TestApp
let turn = 0
/** Each test has its own artifact, trail and environment. */
let start: string
let trail: string
let environment: string
let expires_at: number

beforeAll(async () => {
  app = await startTestApp()
  await addControl(app, 'RISK')
  await makeFlow(app, 'build')
  await putPolicy(app, POLICY, buildControlPolicy('RISK'))
})
afterAll(() => app.stop())

beforeEach(async () => {
  turn += 1
  start = `${turn}a`
  trail = `run-${turn}`
  environment = `prod-${turn}`
  expires_at = app.clock.now().getTime() / 1000 + HOUR_S
  await app.member.post('/artifacts/acme/build', makeBuild(makeFingerprint(start), nameTrail(trail)))
  await makeEnvironment(app, environment)
  await attach(app, environment, POLICY)
})

const decide = (more: Record<string, unknown> = {}, is_compliant = true) =>
  app.member.post(`/attestations/acme/build/trail/${trail}/system`, buildDecision('RISK', is_compliant, more))

async function passTheExpiry(): Promise<void> {
  app.clock.advance(HOUR_S * 1000)
  await app.evaluate()
}

async function runWithDecision(more: Record<string, unknown> = {}, is_compliant = true): Promise<void> {
  expect((await decide({ expires_at, ...more }, is_compliant)).status).toBe(201)
  await report(app, environment, start)
  await app.evaluate()
}

const readCell = async () => (await app.reader.get(`/controls/acme/RISK/environments/${environment}`)).body
const readAssertion = async () =>
  (
    await app.reader.get(
      `/asserts/acme/fingerprint/${makeFingerprint(start)}?environment_name=${environment}`,
    )
  ).body
const readDecisions = async () => (await app.reader.get('/controls/acme/RISK/decisions')).body.decisions
const formatTime = (seconds: number) =>
  `${new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`

describe('400', () => {
  it('is for a time that is not in the future, and names the field', async () => {
    const now_s = app.clock.now().getTime() / 1000
    for (const wrong of [now_s, now_s - 1, 0]) {
      const { status, body } = await decide({ expires_at: wrong })
      expect(status).toBe(400)
      expect(body.errors).toEqual({
        expires_at: `Input should be in the future [input: ${wrong}]`,
      })
    }
    expect((await decide({ expires_at: now_s + 0.5 })).status).toBe(201)
  })

  it.each([
    ['a text', '2030-01-01'],
    ['a negative number', -1],
    ['a time after the year 9999', 1e12],
  ])('is for %s', async (_, wrong) => {
    const { status, body } = await decide({ expires_at: wrong })
    expect(status).toBe(400)
    expect(JSON.stringify(body.errors)).toContain('expires_at')
  })

  it('is for an expiry of anything but a decision', async () => {
    const path = `/attestations/acme/build/trail/${trail}/generic`
    const { status } = await app.member.post(path, { attestation_name: 'x', is_compliant: true, expires_at })
    expect(status).toBe(400)
  })
})

describe('a decision that expires', () => {
  it('counts until then, and shows its expiry', async () => {
    await runWithDecision()
    app.clock.advance(HOUR_S * 1000 - 1)
    await app.evaluate()
    expect((await readLatestSnapshot(app, environment)).state).toBe(true)
    const cell = await readCell()
    expect(cell).toMatchObject({ state: 'met' })
    const [rule] = cell.artifacts[0].policy_decisions[0].rule_evaluations
    expect(rule.resolutions[0]).toMatchObject({ type: 'rule_satisfied', context: { expires_at } })
    const [shown] = await readDecisions()
    expect(shown).toMatchObject({ is_compliant: true, expires_at, is_expired: false })
    const { body } = await app.reader.get(`/controls/acme/RISK/decisions/${shown.id}`)
    expect(body).toMatchObject({ expires_at, is_expired: false })
    const { body: listed } = await app.reader.get(`/attestations/acme?attestation_id=${shown.id}`)
    expect(listed.data[0]).toMatchObject({ expires_at, control: 'RISK' })
  })

  it('is shown without an expiry if it has none', async () => {
    await decide()
    expect((await readDecisions())[0]).toMatchObject({ expires_at: null, is_expired: false })
    const waiting = await app.sql(
      `select from expiring_decisions join attestations using (org_id, attestation_id)
       join trails t using (org_id, trail_id) where t.name = $1`,
      [trail],
    )
    expect(waiting).toEqual([])
  })
})

describe('a decision that has expired', () => {
  it('makes what runs non-compliant, with the reason', async () => {
    await runWithDecision()
    await passTheExpiry()
    const { state, artifacts, cause } = await readLatestSnapshot(app, environment)
    expect({ state, cause }).toEqual({ state: false, cause: 'expired-decision' })
    const at = formatTime(expires_at)
    const name = buildImageName(start)
    expect(artifacts[0].reasons_for_incompliance).toMatchObject([
      {
        type: 'expired_decision',
        policy_name: POLICY,
        rule: 'attestation',
        artifact_fingerprint: makeFingerprint(start),
        flow_name: 'build',
        trail_name: trail,
        attestation_name: 'on-RISK',
        for_control: 'RISK',
        expected: "a compliant decision for control 'RISK' that has not expired",
        found: `a decision 'on-RISK' for control 'RISK' that expired at ${at}`,
        remedy: `Report a new compliant decision for control 'RISK' on trail '${trail}' of flow 'build' for artifact '${name}'`,
      },
    ])
    expect((await readDecisions())[0]).toMatchObject({ is_compliant: true, expires_at, is_expired: true })
    expect((await checkIntegrity(app.owner, { log: true })).filter(({ ok }) => !ok)).toEqual([])
  })

  it('is named by the snapshot that it causes, in the list of them, and by the event', async () => {
    const logical = `all-${turn}`
    await app.member.put('/environments/acme', {
      name: logical,
      type: 'logical',
      included_environments: [environment],
    })
    await runWithDecision()
    await passTheExpiry()
    const [{ id }] = await readDecisions()
    const expired_decisions = [
      { id, attestation_name: 'on-RISK', control: 'RISK', flow_name: 'build', trail_name: trail, expires_at },
    ]
    for (const name of [environment, logical]) {
      const why = { cause: 'expired-decision', expired_decisions }
      expect(await readLatestSnapshot(app, name)).toMatchObject(why)
      const { body: listed } = await app.reader.get(`/snapshots/acme/${name}`)
      expect(listed[0]).toMatchObject(why)
      expect(listed.at(-1)).toMatchObject({ expired_decisions: [] })
      const { body } = await app.admin.get(`/audit-events/acme?environment_name=${name}&per_page=1`)
      expect(body.events[0].sentence).toBe(
        `The expiry of decision on-RISK on control RISK caused snapshot ${listed[0].index} of environment ${name} (non-compliant)`,
      )
    }
    expect((await checkIntegrity(app.owner, { log: true })).filter(({ ok }) => !ok)).toEqual([])
  })

  it('is not the cause of a snapshot that other evidence causes', async () => {
    await decide({ expires_at }, false)
    await decide({ attestation_name: 'second' }, false)
    await report(app, environment, start)
    await app.evaluate()
    app.clock.advance(HOUR_S * 1000)
    await decide({ attestation_name: 'third' })
    await app.evaluate()
    expect(await readLatestSnapshot(app, environment)).toMatchObject({
      state: true,
      cause: 'evidence',
      expired_decisions: [],
    })
  })

  it('makes what runs non-compliant wherever it runs, and leaves everything else alone', async () => {
    const other = `${environment}-too`
    await makeEnvironment(app, other)
    await attach(app, other, POLICY)
    await runWithDecision({ artifact_fingerprint: makeFingerprint(start) })
    await report(app, other, start)
    await app.evaluate()
    const before = await app.sql('select count(*)::int as n from snapshots')
    await passTheExpiry()
    expect((await readLatestSnapshot(app, environment)).state).toBe(false)
    expect((await readLatestSnapshot(app, other)).state).toBe(false)
    expect(await app.sql('select count(*)::int as n from snapshots')).toEqual([
      { n: Number(before[0]?.n) + 2 },
    ])
  })

  it('is an event of the control and the trail, once', async () => {
    await runWithDecision()
    const seen = (await app.readEvents('control_decision_expired')).length
    app.clock.advance(HOUR_S * 1000)
    const due = await listOrgsWithExpired(app.db, app.clock.now())
    expect(due).toHaveLength(1)
    const [org] = due
    const tools = { ids: makeIds(app.clock) }
    const expire = () => expireDecisions(app.db, tools, app.clock.now(), String(org?.org_id))
    await Promise.all([expire(), expire(), expire()])
    expect(await listOrgsWithExpired(app.db, app.clock.now())).toEqual([])
    const events = await app.readEvents('control_decision_expired')
    expect(events).toHaveLength(seen + 1)
    const [decision] = await readDecisions()
    expect(events.at(-1)).toMatchObject({
      actor: 'waybill',
      data: { decision_id: decision.id, identifier: 'RISK', template_reference_name: 'on-RISK', expires_at },
    })
    const { body: of_control } = await app.admin.get('/audit-events/acme?control=RISK&per_page=1')
    expect(of_control.events[0]).toMatchObject({ kind: 'control_decision_expired' })
    expect(of_control.events[0].sentence).toBe(
      `Decision on-RISK on control RISK in trail ${trail} of flow build expired`,
    )
    const { body: of_trail } = await app.reader.get(`/trails/acme/build/${trail}`)
    expect(of_trail.events.at(-1)).toMatchObject({ type: 'control_decision_expired', identifier: 'RISK' })
    await app.evaluate()
    expect((await readLatestSnapshot(app, environment)).state).toBe(false)
  })

  it('is not lost if the transaction that handles it fails', async () => {
    await runWithDecision()
    app.clock.advance(HOUR_S * 1000)
    await app.sql(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'no room' using errcode = '53100'; end $$`)
    await app.sql(
      'create trigger refuse before insert on pending_judgements for each row execute function refuse()',
    )
    const round = makeRound({
      db: app.db,
      ids: makeIds(app.clock),
      compiled_policies: makeCompiledPolicies(),
      clock: { now: app.clock.now, monotonic_ms: () => app.clock.now().getTime() },
      log: makeLog('silent'),
      work: makeWorkCounters(),
    })
    await round()
    expect(await listOrgsWithExpired(app.db, app.clock.now())).toHaveLength(1)
    await app.sql('drop trigger refuse on pending_judgements')
    await app.sql('drop function refuse')
    app.clock.advance(MINUTE_MS)
    await round()
    app.clock.advance(MINUTE_MS)
    await round()
    expect((await readLatestSnapshot(app, environment)).state).toBe(false)
  })

  it('is a state of the control in the environment, with its evidence and history', async () => {
    await runWithDecision()
    await passTheExpiry()
    expect(await readCell()).toMatchObject({
      state: 'expired',
      unknown_because: null,
      artifact_count: { failing: 0, expired: 1, met: 0 },
      artifacts: [{ outcome: 'expired', reasons: [{ type: 'expired_decision', for_control: 'RISK' }] }],
    })
    const { body: filtered } = await app.reader.get(
      `/controls/acme/RISK/environments/${environment}?outcome=expired`,
    )
    expect(filtered.total_count).toBe(1)
    const { body: matrix } = await app.reader.get(`/control-states/acme?environment=${environment}`)
    expect(matrix.controls[0].environments[0]).toMatchObject({ state: 'expired' })
    const { body: history } = await app.reader.get(`/controls/acme/RISK/environments/${environment}/history`)
    expect(history.changes).toMatchObject([
      { state: 'expired', cause: 'expired-decision', actor: 'waybill', at: expires_at },
      { state: 'met' },
    ])
  })

  it('is unknown, not met, if nobody handles the expiry for a minute', async () => {
    await runWithDecision()
    app.clock.advance(HOUR_S * 1000 + MINUTE_MS + 1)
    expect(await readCell()).toMatchObject({ state: 'unknown', unknown_because: 'not-evaluated' })
    const { body } = await app.reader.get(`/control-states/acme?environment=${environment}`)
    expect(body.controls[0].environments[0]).toMatchObject({ unknown_because: 'not-evaluated' })
    await app.evaluate()
  })

  it('gives the same verdict in asserts and tried policies', async () => {
    await runWithDecision()
    const tryPolicy = async () =>
      (
        await app.reader.post('/policies/acme/try', {
          policy_yaml: buildControlPolicy('RISK'),
          environments: [environment],
        })
      ).body.targets[0]
    expect(await readAssertion()).toMatchObject({ compliant: true })
    expect(await tryPolicy()).toMatchObject({ compliant_before: true, compliant_after: true })
    // Nothing was evaluated or recorded in between: only time has passed.
    app.clock.advance(HOUR_S * 1000)
    expect(await readAssertion()).toMatchObject({
      compliant: false,
      reasons: [{ type: 'expired_decision', for_control: 'RISK' }],
    })
    expect(await tryPolicy()).toMatchObject({ compliant_before: false, compliant_after: false })
    await app.evaluate()
  })

  it('does not count for what starts later', async () => {
    await decide({ expires_at })
    app.clock.advance(HOUR_S * 1000)
    await report(app, environment, start)
    expect((await readLatestSnapshot(app, environment)).state).toBe(false)
    await app.evaluate()
  })

  it('is not revived by an earlier decision or an override, but replaced by a new one', async () => {
    await decide({ attestation_name: 'for-ever' })
    await runWithDecision()
    await passTheExpiry()
    expect((await readLatestSnapshot(app, environment)).state).toBe(false)
    const override = {
      attestation_name: 'on-RISK',
      original_attestation_type: 'decision',
      new_compliance_status: true,
      reason: 'it is fine',
    }
    const path = `/attestations/acme/build/trail/${trail}/override`
    expect((await app.member.post(path, override)).status).toBe(200)
    await app.evaluate()
    expect((await readLatestSnapshot(app, environment)).state).toBe(false)
    expect(await readAssertion()).toMatchObject({ reasons: [{ type: 'expired_decision' }] })
    await decide()
    await app.evaluate()
    expect((await readLatestSnapshot(app, environment)).state).toBe(true)
    expect((await checkIntegrity(app.owner, { log: true })).filter(({ ok }) => !ok)).toEqual([])
  })

  it('still fills its slot in a template', async () => {
    const template = 'version: 1\ntrail:\n  attestations:\n    - {name: on-RISK, type: decision}\n'
    await app.member.form('PUT', '/flows/acme/template_file', {
      data_json: JSON.stringify({ name: 'templated' }),
      template_file: makeFile(template),
    })
    await app.member.put('/trails/acme/templated', { name: trail })
    await app.member.post(
      `/attestations/acme/templated/trail/${trail}/system`,
      buildDecision('RISK', true, { expires_at }),
    )
    await passTheExpiry()
    const { body } = await app.reader.get(`/trails/acme/templated/${trail}`)
    expect(body.compliance_state).toBe('COMPLIANT')
  })

  it('is in the assessment results and in the audit package', async () => {
    await runWithDecision()
    await passTheExpiry()
    const { body } = await app.reader.get('/control-assessment-results/acme')
    expect(findOscalProblems('assessment', body)).toEqual([])
    const [result] = body['assessment-results'].results
    expect(result.observations.at(-1).expires).toBe(new Date(expires_at * 1000).toISOString())
    expect(result.findings[0].target.status).toMatchObject({
      state: 'not-satisfied',
      remarks: 'The latest decision has expired in: build, templated',
    })
    const packed = await app.admin.get('/controls/acme/RISK/audit_package')
    expect(packed.status).toBe(200)
  })
})

// GET /control-states/{org}, GET /controls/{org}/{identifier}/environments/{env_name} and its history.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addControl, buildControlPolicy, buildDecision } from '../../../../test/controls.ts'
import { attach, makeEnvironment, putPolicy, report } from '../../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../../test/reports.ts'
import { recordWaits } from '../../../../test/statement-log.ts'

const MINUTE_MS = 60_000

let app: TestApp

const build = (start: string, trail: string) =>
  app.member.post('/artifacts/acme/build', makeBuild(makeFingerprint(start), nameTrail(trail)))
const decide = (trail: string, control: string, is_compliant: boolean) =>
  app.member.post(`/attestations/acme/build/trail/${trail}/system`, buildDecision(control, is_compliant))

// C1 is required in good, bad, mixed, quiet, partly, silent and new; C2 in good, where nothing decides on it. a is decided
// well, b badly, c not at all.
beforeAll(async () => {
  app = await startTestApp()
  for (const identifier of ['C1', 'C2', 'C3'])
    await addControl(app, identifier, { name: `name of ${identifier}` })
  await makeFlow(app, 'build')
  for (const [start, trail] of [
    ['a', 'ta'],
    ['b', 'tb'],
    ['c', 'tc'],
  ] as const)
    await build(start, trail)
  await decide('ta', 'C1', true)
  await decide('tb', 'C1', false)
  await putPolicy(app, 'first', buildControlPolicy('C1'))
  await putPolicy(app, 'second', buildControlPolicy('C1', 'C2'))
  const only_other = `    - {type: decision, for_control: C1, if: '$\{{ flow.name == "other" }}'}\n`
  await putPolicy(
    app,
    'narrow',
    `_schema: https://waybill.example/v1\nartifacts:\n  attestations:\n${only_other}`,
  )
  for (const name of ['bad', 'mixed', 'quiet', 'partly', 'new', 'free']) await makeEnvironment(app, name)
  await makeEnvironment(app, 'good')
  await app.member.patch('/tags/acme/environment/good', { set_tags: { tier: '1', team: 'payments' } })
  await makeEnvironment(app, 'silent', { expected_report_interval: 60 })
  await makeEnvironment(app, 'silent-bad', { expected_report_interval: 60 })
  await makeEnvironment(app, 'all', { type: 'logical', included_environments: ['good'] })
  for (const name of ['good', 'bad', 'mixed', 'partly', 'new', 'silent', 'silent-bad'])
    await attach(app, name, 'first')
  await attach(app, 'quiet', 'narrow')
  await report(app, 'good', 'a')
  await report(app, 'bad', 'b', 'c')
  await report(app, 'mixed', 'a', 'b')
  await report(app, 'quiet', 'a')
  await report(app, 'free', 'b')
  await report(app, 'silent', 'a')
  await report(app, 'silent-bad', 'b')
  await app.snapshotter.put('/environments/acme/partly/report/K8S', {
    artifacts: [
      {
        podName: 'p',
        namespace: 'default',
        digests: { 'registry.example.com/a:1': makeFingerprint('a') },
        creationTimestamp: 1,
        owners: null,
      },
    ],
    is_partial: true,
    missing: ['namespace other'],
  })
  app.clock.advance(10 * MINUTE_MS)
  await app.evaluate()
})
afterAll(() => app.stop())

interface Cell {
  environment_name: string
  state: string
  unknown_because: string | null
  policies: string[]
  artifact_count: Record<string, number>
}

async function readMatrix(query = '') {
  const { status, body } = await app.reader.get(`/control-states/acme${query}`)
  expect(status).toBe(200)
  return body
}
async function readStates(identifier: string, query = ''): Promise<Record<string, string>> {
  const { controls } = await readMatrix(query)
  const row = controls.find((one: { identifier: string }) => one.identifier === identifier)
  return Object.fromEntries(
    row.environments.map((cell: Cell) => [cell.environment_name, cell.unknown_because ?? cell.state]),
  )
}
async function readCell(identifier: string, environment: string, query = '') {
  const { status, body } = await app.reader.get(
    `/controls/acme/${identifier}/environments/${environment}${query}`,
  )
  expect(status).toBe(200)
  return body
}

describe('200 of the matrix', () => {
  it('says where each control is met, from the verdicts on what runs there', async () => {
    expect(await readStates('C1')).toEqual({
      good: 'met',
      bad: 'failing',
      mixed: 'failing',
      quiet: 'not-required',
      partly: 'partial',
      new: 'never-reported',
      free: 'not-required',
      silent: 'stale',
      'silent-bad': 'failing',
    })
    expect(new Set(Object.values(await readStates('C3')))).toEqual(new Set(['not-required']))
  })

  it('agrees with the state of each cell', async () => {
    const { controls } = await readMatrix()
    for (const { identifier, environments } of controls)
      for (const cell of environments as Cell[]) {
        const {
          artifacts,
          page,
          per_page,
          total_pages,
          total_count,
          _links,
          identifier: its,
          ...one
        } = await readCell(identifier, cell.environment_name)
        expect(one).toEqual(cell)
      }
  })

  it('pages and filters controls and environments', async () => {
    expect(await readMatrix('?per_page=2&page=2&environment_per_page=4&environment_page=3')).toMatchObject({
      page: 2,
      total_count: 3,
      environment_page: 3,
      environment_total_count: 9,
      environment_total_pages: 3,
      environments: [{ name: 'silent-bad', type: 'K8S' }],
      controls: [{ identifier: 'C3' }],
    })
    expect(Object.keys(await readStates('C2', '?search=of%20c2&environment=SILENT'))).toEqual([
      'silent',
      'silent-bad',
    ])
  })

  it('filters environments by tags, of which one is enough', async () => {
    for (const query of [
      '?tag=tier',
      '?tag=tier:1',
      '?tag=none&tag=team:payments',
      '?tag=tier&environment=oo',
    ])
      expect(Object.keys(await readStates('C1', query)), query).toEqual(['good'])
    expect(await readMatrix('?tag=tier:2')).toMatchObject({ environments: [], environment_total_count: 0 })
    expect(await readMatrix('?tag=tier&environment=bad')).toMatchObject({ environment_total_count: 0 })
  })

  it('takes as many statements for many controls and environments as for one', async () => {
    const few = await recordWaits(app, () => readMatrix('?per_page=1&environment_per_page=1'))
    expect(await recordWaits(app, () => readMatrix())).toEqual(few)
  })

  it('shows nothing of another organization', async () => {
    const { body } = await app.outsider.get('/control-states/other-corp')
    expect(body).toMatchObject({ environments: [], controls: [], total_count: 0 })
    expect((await app.outsider.get('/control-states/acme')).status).toBe(403)
  })
})

describe('200 of a cell', () => {
  it('names the rule, the policy and the attestations that fail it, failing artifacts first', async () => {
    const body = await readCell('C1', 'mixed')
    expect(body).toMatchObject({
      identifier: 'C1',
      environment_name: 'mixed',
      state: 'failing',
      policies: ['first'],
      artifact_count: { failing: 1, expired: 0, met: 1, 'not-evaluated': 0, 'not-applicable': 0 },
      total_count: 2,
    })
    const [failing, met] = body.artifacts
    expect(failing).toMatchObject({
      artifact_name: 'registry.example.com/b:1',
      fingerprint: makeFingerprint('b'),
      flow_name: 'build',
      outcome: 'failing',
      allow_listed: null,
      reasons: [{ type: 'non_compliant_attestation', for_control: 'C1', policy_name: 'first' }],
    })
    expect(met).toMatchObject({ outcome: 'met', reasons: [] })
    const { body: decided } = await app.reader.get('/controls/acme/C1/decisions?is_compliant=true')
    const [decision] = met.policy_decisions
    expect(decision).toMatchObject({ policy_name: 'first', policy_version: 1, status: 'COMPLIANT' })
    expect(decision.rule_evaluations).toMatchObject([
      {
        satisfied: true,
        rule: { type: 'attestation', definition: { for_control: 'C1' } },
        resolutions: [
          {
            context: {
              trail_name: 'ta',
              attestation_ids: [expect.stringContaining(decided.decisions[0].id)],
            },
          },
        ],
      },
    ])
  })

  it('filters by outcome, and pages', async () => {
    const only = await readCell('C1', 'mixed', '?outcome=met')
    expect(only).toMatchObject({ total_count: 1, artifacts: [{ outcome: 'met' }] })
    const second = await readCell('C1', 'bad', '?per_page=1&page=2')
    expect(second).toMatchObject({ total_count: 2, total_pages: 2, artifacts: [{ outcome: 'failing' }] })
  })

  it('has no artifacts where nothing requires the control', async () => {
    expect(await readCell('C1', 'free')).toMatchObject({
      state: 'not-required',
      policies: [],
      total_count: 0,
      artifacts: [],
    })
    expect(await readCell('C1', 'all')).toMatchObject({ state: 'not-required', policies: [] })
  })

  it('fails for an allow-listed artifact, and shows the entry: a permission is not evidence', async () => {
    await makeEnvironment(app, 'allowed')
    await attach(app, 'allowed', 'first')
    await report(app, 'allowed', 'c')
    await app.member.put('/allowlists/acme/allowed', {
      artifact_fingerprint: makeFingerprint('c'),
      artifact_name: 'c',
      description: 'for the demonstration',
    })
    await app.evaluate()
    expect((await app.reader.get('/environments/acme/allowed')).body.state).toBe(true)
    expect(await readCell('C1', 'allowed')).toMatchObject({
      state: 'failing',
      artifacts: [
        { outcome: 'failing', allow_listed: { description: 'for the demonstration' }, reasons: [] },
      ],
    })
    await app.member.put('/environments/acme/allowed/archive', null)
  })

  it('is unknown, not met, while the policies in force have not been evaluated', async () => {
    await makeEnvironment(app, 'waiting')
    await putPolicy(app, 'changing', buildControlPolicy('C1'))
    await attach(app, 'waiting', 'changing')
    await report(app, 'waiting', 'a')
    expect((await readCell('C1', 'waiting')).state).toBe('met')
    await putPolicy(app, 'changing', `${buildControlPolicy('C1')}# says the same\n`)
    expect(await readCell('C1', 'waiting')).toMatchObject({
      state: 'unknown',
      unknown_because: 'not-evaluated',
      artifact_count: { 'not-evaluated': 1, met: 0 },
    })
    await app.evaluate()
    expect((await readCell('C1', 'waiting')).state).toBe('met')
  })

  it('is unknown once newer evidence has been waiting for more than a minute', async () => {
    await decide('ta', 'C2', true)
    expect((await readCell('C1', 'waiting')).state).toBe('met')
    app.clock.advance(MINUTE_MS + 1)
    expect(await readCell('C1', 'waiting')).toMatchObject({
      state: 'unknown',
      unknown_because: 'not-evaluated',
    })
    await app.evaluate()
    expect((await readCell('C1', 'waiting')).state).toBe('met')
    await app.member.put('/environments/acme/waiting/archive', null)
  })
})

describe('200 of the history', () => {
  async function readHistory(environment: string, query = '') {
    const { status, body } = await app.reader.get(
      `/controls/acme/C1/environments/${environment}/history${query}`,
    )
    expect(status).toBe(200)
    return body
  }
  const states = (body: { changes: Cell[] }) =>
    body.changes.map(({ unknown_because, state }) => unknown_because ?? state)

  it('has every change of the state, with its snapshot and its cause', async () => {
    await makeEnvironment(app, 'moving')
    await report(app, 'moving', 'a')
    app.clock.advance(MINUTE_MS)
    await attach(app, 'moving', 'first')
    app.clock.advance(MINUTE_MS)
    await report(app, 'moving', 'a', 'b')
    app.clock.advance(MINUTE_MS)
    await report(app, 'moving', 'b')
    app.clock.advance(MINUTE_MS)
    await report(app, 'moving', 'a')
    const body = await readHistory('moving')
    expect(states(body)).toEqual(['met', 'failing', 'met', 'not-required'])
    expect(body).toMatchObject({ identifier: 'C1', environment_name: 'moving', snapshots: 5, next: null })
    expect(body.changes.map(({ snapshot_index }: { snapshot_index: number }) => snapshot_index)).toEqual([
      5, 3, 2, 1,
    ])
    expect(body.changes[1]).toMatchObject({ cause: 'report', artifact_count: { failing: 1, met: 1 } })
    expect(body.changes[2]).toMatchObject({ cause: 'policies' })
    for (const [snapshot, count] of [
      [1, 0],
      [3, 2],
      [5, 1],
    ] as const)
      expect(
        body.changes.find((one: { snapshot_index: number }) => one.snapshot_index === snapshot)
          .artifact_count,
      ).toMatchObject(count === 0 ? { met: 0 } : { met: 1 })
    const older = await readHistory('moving', '?before=3')
    expect(states(older)).toEqual(['met', 'not-required'])
    expect(older.snapshots).toBe(2)
    expect((await readHistory('moving', '?before=1')).changes).toEqual([])
  })

  it('shows the silences of the past as unknown', async () => {
    await makeEnvironment(app, 'blinking', { expected_report_interval: 60 })
    await attach(app, 'blinking', 'first')
    await report(app, 'blinking', 'a')
    app.clock.advance(5 * MINUTE_MS)
    expect(states(await readHistory('blinking'))).toEqual(['stale', 'met'])
    await app.evaluate()
    await report(app, 'blinking', 'a')
    const body = await readHistory('blinking')
    expect(states(body)).toEqual(['met', 'stale', 'met'])
    expect(body.changes[0]).toMatchObject({ cause: null, actor: null, snapshot_index: 1 })
    const [again, stale, first] = body.changes.map(({ at }: { at: number }) => at)
    expect(stale - first).toBeCloseTo(180, 3)
    expect(again - first).toBeCloseTo(300, 3)
  })

  it('is empty before the first report', async () => {
    expect(await readHistory('new')).toEqual({
      identifier: 'C1',
      environment_name: 'new',
      changes: [],
      snapshots: 0,
      silences_known_since: null,
      next: null,
    })
  })
})

describe('400', () => {
  it.each([
    ['/control-states/acme?per_page=101'],
    ['/control-states/acme?environment_per_page=51'],
    ['/controls/acme/C1/environments/good?outcome=perhaps'],
    ['/controls/acme/C1/environments/good/history?before=0'],
  ])('refuses %s', async path => {
    expect((await app.reader.get(path)).status).toBe(400)
  })
})

describe('404', () => {
  it.each(['', '/history'])('names what is missing: %s', async rest => {
    const control = await app.reader.get(`/controls/acme/nothing/environments/good${rest}`)
    expect([control.status, control.body.message]).toEqual([
      404,
      "Control 'nothing' does not exist in org 'acme'",
    ])
    const environment = await app.reader.get(`/controls/acme/C1/environments/nothing${rest}`)
    expect([environment.status, environment.body.message]).toEqual([
      404,
      "Environment named 'nothing' does not exist for organization 'acme'",
    ])
  })
})

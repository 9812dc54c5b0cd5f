import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addControl, buildControlPolicy, buildDecision } from '../../../../test/controls.ts'
import { BASE_URL, startTestApp, type TestApp } from '../../../../test/harness.ts'
import { findOscalProblems } from '../../../../test/oscal.ts'
import { makeBuild, makeFingerprint, nameTrail } from '../../../../test/reports.ts'
import { makeStatementLog } from '../../../../test/statement-log.ts'
import type { OscalFinding, OscalObservation } from '../../../domain/control/oscal-assessment.ts'

let app: TestApp
let begun_s: number
const MINUTE_MS = 60_000

/** One decision a minute. */
async function decide(
  flow: string,
  control: string,
  is_compliant: boolean,
  more: Record<string, unknown> = {},
) {
  app.clock.advance(MINUTE_MS)
  const done = await app.member.post(
    `/attestations/acme/${flow}/trail/run/system`,
    buildDecision(control, is_compliant, { attestation_name: 'decided', ...more }),
  )
  expect(done.status).toBe(201)
}

beforeAll(async () => {
  app = await startTestApp()
  begun_s = app.clock.now().getTime() / 1000
  for (const flow of ['build', 'deploy']) {
    await app.member.put('/flows/acme', { name: flow, description: '' })
    await app.member.put(`/trails/acme/${flow}`, { name: 'run' })
  }
  await app.member.post('/artifacts/acme/build', makeBuild(makeFingerprint('a'), nameTrail('run')))
  for (const identifier of ['met', '4.1~failing', 'undecided', 'archived']) await addControl(app, identifier)
  for (const name of ['prod', 'test']) await app.member.put('/environments/acme', { name, type: 'K8S' })
  await app.member.put('/environments/acme', {
    name: 'all',
    type: 'logical',
    included_environments: ['prod'],
  })
  await app.member.put('/policies/acme/strict', { policy_yaml: buildControlPolicy('met', '4.1~failing') })
  await app.member.post('/environments/acme/prod/policies', { policy_names: ['strict'] })
  await decide('build', 'met', false)
  await decide('build', 'met', true, { artifact_fingerprint: makeFingerprint('a') })
  await decide('deploy', 'met', true)
  await decide('build', '4.1~failing', true)
  await decide('deploy', '4.1~failing', false)
  await decide('deploy', 'nobody-made-this', false)
  await decide('deploy', 'archived', true)
  await app.admin.post('/controls/acme/archived/archive', null)
})
afterAll(() => app.stop())

const read = (query = '') => app.reader.get(`/control-assessment-results/acme${query}`)
const readResult = async (query = '') => {
  const { status, body } = await read(query)
  expect(status).toBe(200)
  expect(findOscalProblems('assessment', body)).toEqual([])
  return body['assessment-results'].results[0] as {
    start: string
    end: string
    observations?: OscalObservation[]
    findings: OscalFinding[]
  }
}
const getStates = (findings: OscalFinding[]) =>
  Object.fromEntries(findings.map(({ target }) => [target['target-id'], target.status.state]))

describe('200', () => {
  it('is a download of valid OSCAL', async () => {
    const { headers, body } = await read()
    expect(headers['content-type']).toBe('application/json')
    expect(headers['content-disposition']).toContain('acme-assessment-results.oscal.json')
    expect(headers['waybill-beta']).toBe('?1')
    expect(findOscalProblems('assessment', body)).toEqual([])
  })

  it('has a finding for every control and an observation for every decision on one', async () => {
    const { findings, observations, start, end } = await readResult()
    expect(getStates(findings)).toEqual({
      met_smt: 'satisfied',
      'id.4.1_tfailing_smt': 'not-satisfied',
      undecided_smt: 'not-satisfied',
      archived_smt: 'satisfied',
    })
    expect(observations).toHaveLength(6)
    const now = app.clock.now()
    expect([start, end]).toEqual([new Date(now.getTime() - 30 * 86_400_000).toISOString(), now.toISOString()])
    const artifact = observations?.[1]
    expect(artifact?.description).toMatch(/^max recorded that version 1 of control met is met by artifact /)
  })

  it('links each decision', async () => {
    const { observations } = await readResult()
    for (const observation of observations ?? []) {
      const { href } = observation['relevant-evidence'][0] ?? { href: '' }
      expect(href.startsWith(`${BASE_URL}/api/v2/attestations/acme?`)).toBe(true)
      const { body } = await app.reader.get(href.slice(BASE_URL.length))
      expect(JSON.stringify(body)).toContain('"control":')
    }
  })

  it('has the same coverage as the control itself', async () => {
    const { findings } = await readResult()
    for (const identifier of ['met', 'undecided']) {
      const { body } = await app.reader.get(`/controls/acme/${identifier}/coverage`)
      const props = findings.find(({ target }) => target['target-id'] === `${identifier}_smt`)?.props ?? []
      const values = Object.fromEntries(props.map(({ name, value }) => [name, Number(value)]))
      expect(values).toMatchObject({
        environments: body.total,
        'environments-covered': body.covered,
        'coverage-percent': body.coverage_percent,
      })
    }
  })

  it('includes only the period', async () => {
    const from = begun_s + 60
    const { observations, findings } = await readResult(`?from_timestamp=${from}&to_timestamp=${from}`)
    expect(observations).toHaveLength(1)
    expect(getStates(findings)).toEqual({
      met_smt: 'not-satisfied',
      'id.4.1_tfailing_smt': 'not-satisfied',
      undecided_smt: 'not-satisfied',
    })
    const before = await readResult(`?from_timestamp=0&to_timestamp=${begun_s}`)
    expect(before.observations).toBeUndefined()
    expect(before.start).toBe('1970-01-01T00:00:00.000Z')
    const early = await readResult('?to_timestamp=1')
    expect(early.start).toBe('1970-01-01T00:00:00.000Z')
    const future = await readResult(`?from_timestamp=${begun_s}&to_timestamp=253402300799`)
    expect(future.end).toBe(app.clock.now().toISOString())
    expect(future.observations).toHaveLength(6)
  })

  it('is valid when there is nothing', async () => {
    const { body } = await app.outsider.get('/control-assessment-results/other-corp')
    expect(findOscalProblems('assessment', body)).toEqual([])
    expect(JSON.stringify(body)).not.toContain('acme')
  })
})

it('returns 400 for a period that ends before it begins, and for one in the future', async () => {
  for (const [query, sentence] of [
    [`?from_timestamp=${begun_s}&to_timestamp=${begun_s - 1}`, 'should begin before it ends'],
    [`?from_timestamp=${begun_s + 1e9}`, 'not be later than now'],
  ] as const) {
    const { status, body } = await read(query)
    expect(status).toBe(400)
    expect(body.errors['query.from_timestamp']).toContain(sentence)
  }
})

it('sends as many statements for ten thousand decisions as for six, and returns 400 for one more', async () => {
  const readCounted = async () => {
    const { statements, during } = makeStatementLog()
    return { answer: await during(read), statements }
  }
  await read()
  const few = await readCounted()
  const [one] = await app.sql(
    `select count(*)::int as n from attestations where control <> 'nobody-made-this'`,
  )
  await addCopies(10_000 - Number(one?.n))
  const many = await readCounted()
  expect(many.answer.body['assessment-results'].results[0].observations).toHaveLength(10_000)
  expect(many.statements).toEqual(few.statements)
  await addCopies(1)
  const { answer } = await readCounted()
  expect(answer.status).toBe(400)
  expect(answer.body.errors['query.from_timestamp']).toContain(
    'more than 10000 decisions; request a shorter one',
  )
  expect((await read(`?from_timestamp=${begun_s}&to_timestamp=${begun_s + 61}`)).status).toBe(200)
})

/** Adds copies of one decision at the end of the period. */
async function addCopies(copies: number): Promise<void> {
  await app.sql(
    `insert into attestations (org_id, attestation_id, flow_id, trail_id, target_artifacts, attestation_name,
       attestation_type, is_compliant, control, report, reported_by, created_at)
     select org_id, (substr(attestation_id::text, 1, 24) || lpad(to_hex((random() * 1e14)::bigint), 12, '0'))::uuid, flow_id, trail_id,
       target_artifacts, attestation_name, attestation_type, is_compliant, control, report, reported_by, created_at
     from (select * from attestations where control = 'met' order by attestation_id desc limit 1) last,
       generate_series(1, $1)`,
    [copies],
  )
}

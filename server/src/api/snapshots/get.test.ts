// GET /snapshots/{org}/{env_name}/{snapshot_expression}: every form of expression, and the errors.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  attach,
  buildPolicyRequiring,
  lengthenHistory,
  makeEnvironment,
  putPolicy,
  report,
} from '../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeFingerprint } from '../../../test/reports.ts'
import { countRowsRead } from '../../../test/rows-read.ts'

const HOUR_MS = 3_600_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeEnvironment(app, 'prod')
  // Snapshots at 12:00, 13:00 and 14:00 of 3 March; it is 15:00.
  for (const start of ['a', 'b', 'c']) {
    await report(app, 'prod', start)
    app.clock.advance(HOUR_MS)
  }
  await makeEnvironment(app, 'empty')
})
afterAll(() => app.stop())

const get = (expression: string, environment = 'prod') =>
  app.reader.get(`/snapshots/acme/${environment}/${encodeURIComponent(expression)}`)

describe('200', () => {
  it.each([
    ['1', 1],
    ['3', 3],
    ['#2', 2],
    ['-1', 3],
    ['-3', 1],
    ['#-2', 2],
    ['~0', 3],
    ['~2', 1],
    ['@{now}', 3],
    ['@{2026-03-03T12:00:00}', 1],
    ['@{2026-03-03T12:59:59}', 1],
    ['@{2026-03-03T13:00:00}', 2],
    ['@{2030-01-01T00:00:00}', 3],
    ['@{1.hours.ago}', 3],
    ['@{2.hours.ago}', 2],
    ['@{3.hours.ago}', 1],
  ])('%s is snapshot %i', async (expression, index) => {
    const { status, body } = await get(expression)
    expect({ status, index: body.index }).toEqual({ status: 200, index })
  })

  it('returns its time and the time of the next snapshot', async () => {
    const [first, last] = [(await get('1')).body, (await get('-1')).body]
    expect(first).toMatchObject({ is_latest: false, next_snapshot_timestamp: first.timestamp + 3600 })
    expect(last).toMatchObject({ is_latest: true, next_snapshot_timestamp: null })
    expect(last.html_url).toBe('http://waybill.test/acme/environments/prod/snapshots/3')
  })

  it('is found by a former name', async () => {
    await makeEnvironment(app, 'young')
    await report(app, 'young', 'a')
    await app.member.put('/environments/acme/young/rename', { new_name: 'grown' })
    expect((await get('1', 'young')).body.environment_name).toBe('grown')
  })

  it('marks a corrupt record as such, and shows the others unchanged', async () => {
    await makeEnvironment(app, 'corrupt')
    await putPolicy(app, 'corrupt', buildPolicyRequiring())
    await attach(app, 'corrupt', 'corrupt')
    await report(app, 'corrupt', 'a', 'b', 'c')
    const corrupt = (table: string, column: string, start: string) =>
      app.sql(
        `update ${table} set ${column} = '[1]' where artifact_key like $1 and environment_id = (
           select environment_id from environments where name = 'corrupt')`,
        [`${start}%`],
      )
    await corrupt('verdicts', 'evaluation', 'a')
    await corrupt('runs', 'instances', 'b')
    const { status, body } = await get('-1', 'corrupt')
    expect(status).toBe(200)
    const reasons = body.artifacts.map(
      ({ reasons_for_incompliance: [first] }: { reasons_for_incompliance: { type: string }[] }) =>
        first?.type,
    )
    expect(reasons).toEqual(['unreadable_record', 'unreadable_record', 'no_provenance'])
  })

  it.each(['full', 'compact'])('marks a corrupt record as non-compliant in the %s view', async view => {
    const environment = `corrupt-${view}`
    await makeEnvironment(app, environment)
    await report(app, environment, 'a')
    await app.sql(
      `update verdicts set compliant = true, evaluation = '[1]' where environment_id = (
         select environment_id from environments where name = $1)`,
      [environment],
    )
    const { body } = await app.reader.get(`/snapshots/acme/${environment}/-1?view=${view}`)
    expect(body.artifacts).toMatchObject([{ compliance_state: 'NON-COMPLIANT' }])
  })

  it('leaves the explanations out of the compact view, and nothing else', async () => {
    await app.member.put('/flows/acme', { name: 'built', description: '' })
    const links = { build_url: 'https://ci.example.com', commit_url: 'https://git.example.com/c/1' }
    const names = { filename: 'x', trail_name: 't', template_reference_name: 'a' }
    const fingerprint = makeFingerprint('b2')
    await app.member.post('/artifacts/acme/built', { fingerprint, ...names, ...links })
    await makeEnvironment(app, 'explained')
    await putPolicy(app, 'explained', buildPolicyRequiring('unit'))
    await attach(app, 'explained', 'explained')
    await report(app, 'explained', 'b1', 'b2')
    const full = await get('-1', 'explained')
    const shown: Record<string, unknown[]>[] = full.body.artifacts
    for (const part of ['policy_decisions', 'reasons_for_incompliance'])
      expect(shown.map(artifact => artifact[part]?.length)).not.toContain(0)
    expect(shown.map(({ flow_name, flows }) => [flow_name, flows?.length])).toEqual([
      ['', 0],
      ['built', 1],
    ])
    const compact = await app.reader.get('/snapshots/acme/explained/-1?view=compact')
    expect(compact.body).toEqual({
      ...full.body,
      artifacts: shown.map(artifact => ({
        ...artifact,
        flows: [],
        policy_decisions: [],
        reasons_for_incompliance: [],
        deployment_diff: null,
        pods: null,
      })),
    })
    expect((await app.reader.get('/snapshots/acme/explained/-1?view=full')).body).toEqual(full.body)
  })

  it('evaluates nothing as compliant by a corrupt policy', async () => {
    await makeEnvironment(app, 'broken')
    await putPolicy(app, 'broken', '_schema: https://waybill.example/v1\n')
    await attach(app, 'broken', 'broken')
    await app.sql(`update policy_versions set parsed = '{"artifacts":{"provenance":7}}' where policy_id = (
      select policy_id from policies where name = 'broken')`)
    await report(app, 'broken', 'a')
    const { body } = await get('-1', 'broken')
    expect(body).toMatchObject({ state: false, artifacts: [{ compliance_state: 'NON-COMPLIANT' }] })
    expect(body.artifacts[0].reasons_for_incompliance).toMatchObject([{ type: 'evaluation_error' }])
  })
})

const FORMS =
  ': a snapshot is N or #N (-1 is the latest), ~N, @{now}, @{YYYY-MM-DDTHH:MM:SS} or @{N.hours.ago}, also of days, weeks ' +
  'or months'

describe('a long history', () => {
  let org_id: string
  beforeAll(async () => {
    await makeEnvironment(app, 'old')
    await report(app, 'old', 'a')
    ;({ org_id } = await lengthenHistory(app, 'old', 20_000))
  })

  it.each([
    ['an index', { index: 5 }],
    ['the latest', { behind: 0 }],
    ['a time', { time: new Date('2026-03-03T15:00:00Z') }],
  ])('is not read in the search for %s', async (_name, selector) => {
    const params = { index: null, behind: null, time: null, ...selector, org_id, env_name: 'old' }
    const run = { statement: 'snapshots.head', params, scope: { org: org_id }, table: 'snapshots' }
    // The snapshot, the one after it, and the one found by its time.
    expect(await countRowsRead(app, run)).toBeLessThanOrEqual(3)
    await app.sql('analyze snapshots')
    expect(await countRowsRead(app, run)).toBeLessThanOrEqual(3)
  })
})

describe('400', () => {
  it.each([
    '0',
    '#0',
    '1.5',
    'latest',
    '~-1',
    '@{yesterday}',
    '@{2026-02-30T00:00:00}',
    '@{0.days.ago}',
    '1..2',
  ])('is for %s', async expression => {
    const { status, body } = await get(expression)
    expect({ status, body }).toEqual({ status: 400, body: { message: `Bad snappish ${expression}${FORMS}` } })
  })
})

describe('400 for a view', () => {
  it.each(['foo', '', 'Compact', 'compact&view=full'])('is for %j', async view => {
    const { status, body } = await app.reader.get(`/snapshots/acme/prod/-1?view=${view}`)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual(['query.view'])
  })
})

describe('404', () => {
  it.each([
    ['#23', 'prod', "Org: 'acme'. Snapshot 'prod#23' resolves to 'prod#23'. len(snapshots) == 3."],
    ['23', 'prod', "Org: 'acme'. Snapshot 'prod#23' resolves to 'prod#23'. len(snapshots) == 3."],
    ['-1', 'empty', "Org: 'acme'. Snapshot 'empty#-1' resolves to 'empty#0'. len(snapshots) == 0."],
    ['~5', 'prod', "Org: 'acme'. Snapshot 'prod~5' resolves to 'prod#-2'. len(snapshots) == 3."],
    ['99999999999999999999', 'prod', "Org: 'acme'. Snapshot 'prod#99999999999999999999' resolves to"],
    [
      '@{2020-01-01T00:00:00}',
      'prod',
      "Org: 'acme'. Snapshot 'prod@{2020-01-01T00:00:00}' resolves to 'prod#0'.",
    ],
  ])('is for %s of %s', async (expression, environment, expected) => {
    const { status, body } = await get(expression, environment)
    expect(status).toBe(404)
    expect(body.message).toContain(expected)
    expect(body.message).toMatch(/ Indexes are 1-based$/)
  })

  it('is for an unknown environment', async () => {
    expect((await get('1', 'nowhere')).body).toEqual({
      message: "Environment named 'nowhere' does not exist for organization 'acme'",
    })
  })
})

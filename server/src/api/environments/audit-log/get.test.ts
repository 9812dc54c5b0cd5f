import { get, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  attach,
  buildImageName,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  report,
} from '../../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../../test/harness.ts'
import { until } from '../../../../test/patience.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../../test/reports.ts'
import { makeStatementLog, untilIdle } from '../../../../test/statement-log.ts'
import { setTimeZoneFarFromUtc } from '../../../../test/time-zone.ts'

setTimeZoneFarFromUtc()

const HOUR_MS = 3_600_000
const SNAPSHOTS = 72
const EVENTS_EACH = 70
const WIDE_EVENTS = 20_000
const PAGES = WIDE_EVENTS / 1000

let app: TestApp
/** The statements sent for requests that arrive over the network. */
const sent = makeStatementLog()
let began: number
beforeAll(async () => {
  app = await startTestApp()
  began = app.clock.now().getTime() / 1000
  await makeFlow(app, 'build')
  await makeFlow(app, 'scan')
  const repo_info = { id: '1', name: 'acme/backend', url: 'https://git.example.com/backend' }
  await app.member.post(
    '/artifacts/acme/build',
    makeBuild(makeFingerprint('a'), { ...nameTrail('t1'), repo_info }),
  )
  await app.member.post('/artifacts/acme/build', makeBuild(makeFingerprint('b'), nameTrail('t2')))
  await app.member.post('/artifacts/acme/scan', makeBuild(makeFingerprint('b'), nameTrail('t3')))
  for (const name of ['prod', 'stage', 'many', 'wide', 'odd']) await makeEnvironment(app, name)
  await makeEnvironment(app, 'all', { type: 'logical', included_environments: ['prod', 'stage'] })
  await report(app, 'prod', 'a', 'd')
  app.clock.advance(HOUR_MS)
  await report(app, 'stage', 'd')
  app.clock.advance(HOUR_MS)
  await putPolicy(app, 'strict', buildPolicyRequiring('tests'))
  await attach(app, 'prod', 'strict')
  await app.evaluate()
  app.clock.advance(HOUR_MS)
  await report(app, 'prod', 'b')
  await insertEvents('many', SNAPSHOTS, EVENTS_EACH, 10)
  await insertEvents('wide', 1, WIDE_EVENTS, 2000)
  await sent.during(() => app.server.listen({ host: '127.0.0.1', port: 0 }))
})
afterAll(() => app.stop())

/** As many as an old environment has, several per snapshot, so that pages end in the middle of a snapshot. */
async function insertEvents(name: string, snapshots: number, each: number, length: number): Promise<void> {
  const of = `from environments e, generate_series(1, ${snapshots}) i where e.name = '${name}'`
  await app.sql(`insert into snapshots (org_id, environment_id, snapshot_index, created_at, compliant_count,
      non_compliant_count, unknown_count, applied_policies, cause, actor)
    select e.org_id, e.environment_id, i, e.created_at + i * interval '0.001234 s', 0, 0, 0, '[]', 'report', 'sam' ${of}`)
  await app.sql(`insert into environment_events (org_id, environment_id, snapshot_index, artifact_key, happened_at, type,
      fingerprint, artifact_name, was, now, flow_ids, repo_ids)
    select s.org_id, s.environment_id, s.snapshot_index, 'name:' || lpad(n::text, 6, '0'), s.created_at,
      'started-unknown', '', lpad(s.snapshot_index || '-' || n, ${length}, 'x'), 0, 1, '{}', '{}'
    from snapshots s join environments e using (org_id, environment_id), generate_series(1, ${each}) n
    where e.name = '${name}'`)
}

const readLog = (query = '', environment = 'prod') =>
  app.reader.get(`/environments/acme/${environment}/auditlog${query}`)

/** Strict RFC 4180: a quoted cell ends at a quote that is not doubled. */
function parse(text: string): string[][] {
  const rows: string[][] = [[]]
  const cells = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\r|\n|$)/gy
  while (cells.lastIndex < text.length) {
    const [, quoted, plain, end] = cells.exec(text) ?? expect.fail(`no CSV at ${cells.lastIndex}`)
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    if (end !== ',') rows.push([])
  }
  return rows.filter(row => row.length > 0)
}

async function rows(query = '', environment = 'prod'): Promise<Record<string, string>[]> {
  const { status, text } = await readLog(query, environment)
  expect(status).toBe(200)
  const [header = [], ...others] = parse(text)
  return others.map(row => Object.fromEntries(header.map((name, i) => [name, row[i] ?? ''])))
}
const listShort = async (query = '', environment = 'prod') =>
  (await rows(query, environment)).map(row => `${row.snapshot_index} ${row.fingerprint?.[0]} ${row.event}`)

const ALL = [
  '1 a started',
  '1 d started',
  '2 a changed',
  '2 d changed',
  '3 a exited',
  '3 b started',
  '3 d exited',
]

describe('200', () => {
  it('is a CSV download', async () => {
    const { headers, text } = await readLog()
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="prod-audit-log.csv"; filename*=UTF-8''prod-audit-log.csv`,
    })
    expect(text.split('\n')[0]).toBe(
      'timestamp,epoch_seconds,environment,snapshot_index,event,type,description,artifact_name,fingerprint,' +
        'instances_before,instances_after,artifact_compliance,snapshot_compliance,flows,repositories,code_diff,reasons,' +
        'reasons_json',
    )
  })

  it('lists every event, oldest first, with the reasons of non-compliance', async () => {
    expect(await listShort()).toEqual(ALL)
    const [started, , changed, unknown, exited, last] = await rows()
    expect(started).toEqual({
      timestamp: '2026-03-03T12:00:00.000Z',
      epoch_seconds: String(began),
      environment: 'prod',
      snapshot_index: '1',
      event: 'started',
      type: 'started-unknown',
      description: '1 instance started running (from 0 to 1)',
      artifact_name: buildImageName('a'),
      fingerprint: makeFingerprint('a'),
      instances_before: '0',
      instances_after: '1',
      artifact_compliance: 'UNKNOWN',
      snapshot_compliance: 'UNKNOWN',
      flows: 'build',
      repositories: 'acme/backend',
      code_diff: '',
      reasons: '',
      reasons_json: '[]',
    })
    expect(changed).toMatchObject({
      artifact_compliance: 'NON-COMPLIANT',
      snapshot_compliance: 'NON-COMPLIANT',
    })
    expect(changed?.reasons).toMatch(/tests/)
    expect(unknown?.reasons).toMatch(/; /)
    for (const row of [changed, unknown]) {
      const reasons = JSON.parse(row?.reasons_json ?? '')
      expect(reasons.map(({ description }: { description: string }) => description).join('; ')).toBe(
        row?.reasons,
      )
    }
    const { body: snapshot } = await app.reader.get(`/snapshots/acme/prod/${changed?.snapshot_index}`)
    const shown = snapshot.artifacts.find(
      ({ fingerprint }: { fingerprint: string }) => fingerprint === changed?.fingerprint,
    )
    expect(JSON.parse(changed?.reasons_json ?? '')).toEqual(shown.reasons_for_incompliance)
    expect(unknown).toMatchObject({ flows: '', repositories: '' })
    expect(exited).toMatchObject({ type: 'exited', reasons: changed?.reasons })
    expect(last).toMatchObject({ flows: 'build scan', type: 'started-non-compliant' })
  })

  it.each([
    ['event_types=started', ['1 a started', '1 d started', '3 b started']],
    ['event_types=exited,changed', ALL.filter(row => !row.endsWith('started'))],
    ['event_types=', ALL],
    ['flow_names=scan', ['3 b started']],
    ['flow_names=build', ALL.filter(row => row[2] !== 'd')],
    ['flow_names=no provenance', ['1 d started', '2 d changed', '3 d exited']],
    ['flow_names=scan, no provenance', ['1 d started', '2 d changed', '3 b started', '3 d exited']],
    ['flow_names=nowhere', []],
    ['flow_names=', ALL],
    ['repo_names=acme/backend', ['1 a started', '2 a changed', '3 a exited']],
    ['repo_names=acme/nowhere', []],
    ['repo_names=acme/nowhere,acme/backend&event_types=changed', ['2 a changed']],
    ['flow_names=scan&repo_names=acme/backend', []],
  ])('filters: %s', async (query, expected) => {
    expect(await listShort(`?${encodeURI(query)}`)).toEqual(expected)
  })

  it('finds a flow by name even if it was archived since', async () => {
    await app.member.put('/flows/acme/scan/archive', null)
    expect(await listShort('?flow_names=scan')).toEqual(['3 b started'])
    expect((await rows()).at(-2)?.flows).toBe('build scan')
  })

  it('filters by time, both ends included', async () => {
    const toTime = (hours: number) => began + hours * 3600
    expect(await listShort(`?from_timestamp=${toTime(2)}`)).toEqual(ALL.slice(2))
    expect(await listShort(`?from_timestamp=${toTime(2) + 0.5}`)).toEqual(ALL.slice(4))
    expect(await listShort(`?to_timestamp=${toTime(2)}`)).toEqual(ALL.slice(0, 4))
    expect(await listShort(`?from_timestamp=${toTime(2)}&to_timestamp=${toTime(2)}`)).toEqual(ALL.slice(2, 4))
  })

  it('joins the logs of the members of a logical environment', async () => {
    const all = await rows('', 'all')
    expect(all.map(row => `${row.environment} ${row.snapshot_index} ${row.event}`)).toEqual([
      'prod 1 started',
      'prod 1 started',
      'stage 1 started',
      'prod 2 changed',
      'prod 2 changed',
      'prod 3 exited',
      'prod 3 started',
      'prod 3 exited',
    ])
  })

  it('is complete and in order however long it is', async () => {
    const names = (await rows('', 'many')).map(row => row.artifact_name)
    const expected = Array.from({ length: SNAPSHOTS * EVENTS_EACH }, (_, i) =>
      `${Math.floor(i / EVENTS_EACH) + 1}-${(i % EVENTS_EACH) + 1}`.padStart(10, 'x'),
    )
    expect(names).toEqual(expected)
  })

  it('escapes cells that a spreadsheet would run or that contain separators', async () => {
    const names = [
      "=cmd|' /C calc'!A0",
      '@SUM(1)',
      '+1',
      '-1',
      '\t=1',
      '\r=1',
      '\n=1',
      'he said "hi", twice',
      'two\nlines',
      'lone\r=return',
      'plain',
    ]
    const digests = Object.fromEntries(names.map((name, i) => [name, i.toString(16).padEnd(64, '0')]))
    const pod = { podName: 'p', namespace: 'n', creationTimestamp: 1, owners: null, digests }
    await app.snapshotter.put('/environments/acme/odd/report/K8S', { artifacts: [pod] })
    const found = (await rows('', 'odd')).map(row => row.artifact_name)
    expect(found).toEqual([...names.slice(0, 7).map(name => `'${name}`), ...names.slice(7)])
  })

  it('starts sending before it is read completely, and stops reading when the client disconnects', async () => {
    const before = countPages()
    const answer = await open('/api/v2/environments/acme/wide/auditlog')
    const first: Buffer = await new Promise(resolve => answer.once('data', resolve))
    expect(first.toString()).toMatch(/^timestamp,/)
    expect(countPages() - before).toBeLessThan(PAGES / 2)
    answer.destroy()
    await until(async () => (await countConnections()) === 0)
    await untilIdle(app.db)
    const at_disconnect = countPages() - before
    expect(at_disconnect).toBeLessThan(PAGES)
    await serveOtherRequests()
    expect(countPages() - before).toBe(at_disconnect)
  })

  it('waits for a slow client and still sends everything', async () => {
    const before = countPages()
    const answer = await open('/api/v2/environments/acme/wide/auditlog')
    answer.pause()
    await serveOtherRequests()
    expect(countPages() - before).toBeGreaterThan(0)
    expect(countPages() - before).toBeLessThan(PAGES)
    let lines = 0
    for await (const chunk of answer) lines += String(chunk).split('\n').length - 1
    expect(lines).toBe(WIDE_EVENTS + 1)
  })
})

const countPages = () => sent.countOf('audit_log.portion')

/** Twice as many round trips as reading the whole log takes, so a reader that wanted to continue could have. */
async function serveOtherRequests(): Promise<void> {
  for (let i = 0; i < 2 * PAGES; i++) expect((await readLog('?event_types=exited')).status).toBe(200)
}

function countConnections(): Promise<number> {
  return new Promise((resolve, reject) =>
    app.server.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )
}

function open(path: string): Promise<IncomingMessage> {
  const [address] = app.server.addresses()
  if (typeof address !== 'object') expect.fail('the server does not listen')
  const headers = { authorization: `Bearer ${app.reader.key}` }
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port: address.port, path, headers, agent: false }, resolve).on('error', reject)
  })
}

describe('400', () => {
  it('names the unknown kind of event', async () => {
    const { status, body } = await readLog('?event_types=started,scaled')
    expect(status).toBe(400)
    expect(body).toEqual({
      message: 'Input payload validation failed',
      errors: {
        'query.event_types': "Each should be one of 'started', 'exited', 'changed' [input: scaled]",
      },
    })
  })

  it.each(['from_timestamp=', 'to_timestamp=noon', 'from_timestamp=-1'])('refuses %s', async query => {
    const { status, body } = await readLog(`?${query}`)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual([`query.${query.split('=')[0]}`])
  })

  it('refuses too many names', async () => {
    const { status, body } = await readLog(`?flow_names=${'a,'.repeat(200)}`)
    expect(status).toBe(400)
    expect(body.errors).toEqual({ 'query.flow_names': 'At most 100 names are allowed' })
  })
})

describe('404', () => {
  it('refuses an unknown environment', async () => {
    const { status, body } = await readLog('', 'nowhere')
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Environment named 'nowhere' does not exist for organization 'acme'" })
  })
})

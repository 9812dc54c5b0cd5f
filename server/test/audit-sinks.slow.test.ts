// The operator's audit sinks: every event arrives, in the order of the log and in the sink's format, whatever the
// receiver does in between.
import { createHmac } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type HttpReceiver, sendNow, startHttpReceiver, startSyslogReceiver } from './audit-sinks.ts'
import { addControl, buildDecision } from './controls.ts'
import { buildPodReport } from './environments.ts'
import { fillOrg } from './filled-org.ts'
import { BASE_URL, ORG, OTHER_ORG, startTestApp, type TestApp } from './harness.ts'
import { startS3Server } from './s3-server.ts'

let app: TestApp
let receiver: HttpReceiver
beforeEach(async () => {
  app = await startTestApp()
  receiver = await startHttpReceiver()
})
afterEach(() => app.stop())

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const hook = (more: object = {}) => ({
  name: 'hook',
  kind: 'webhook',
  url: `${receiver.url}/events`,
  ...more,
})
const parseLines = (text: string) =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
const listReceived = () => receiver.requests.flatMap(({ body }) => parseLines(body))
const createFlow = (name: string, client = app.admin, org = ORG) =>
  client.put(`/flows/${org}`, { name, description: '' })
const pass = (seconds: number) => app.clock.advance(seconds * 1000)

/** The ids of all events of an organization in the order of its log. */
async function listLogged(org: string): Promise<string[]> {
  const rows = await app.sql(
    `select left(l.event_id::text, 36) as id from log_leaves l join orgs o using (org_id)
     where o.name = $1 and l.kind <> 'environment_confirmed' order by l.epoch, l.seq`,
    [org],
  )
  return rows.map(({ id }) => String(id))
}
const listIds = (org: string) =>
  listReceived()
    .filter(event => event.org === org)
    .map(event => event.id as string)

/** The seed has other organizations, whose batches would come in between. */
const keepOneLog = () =>
  app.sql('delete from log_heads where org_id <> (select org_id from orgs where name = $1)', [ORG])

/** The API shows ids without their last digits. */
const shorten = (ids: readonly string[], like: readonly string[]) =>
  ids.map(id => id.slice(0, like[0]?.length))

describe('a webhook', () => {
  it('receives the events of all organizations, each in the order of its log, and then only new ones', async () => {
    for (const name of ['one', 'two', 'three']) await createFlow(name)
    await createFlow('theirs', app.outsider, OTHER_ORG)
    await sendNow(app, [hook()])
    for (const org of [ORG, OTHER_ORG])
      expect(listIds(org)).toEqual(shorten(await listLogged(org), listIds(org)))
    expect(listReceived()).toContainEqual(
      expect.objectContaining({
        org: ORG,
        kind: 'flow_created',
        actor: 'ada',
        flow_name: 'two',
        sentence: 'ada created flow two',
        html_url: expect.stringContaining(`${BASE_URL}/${ORG}/settings/audit-events/`),
        log: { epoch: expect.any(Number), number: expect.any(Number) },
      }),
    )
    receiver.requests.length = 0
    await sendNow(app, [hook()])
    expect(receiver.requests).toEqual([])
    await createFlow('four')
    await sendNow(app, [hook()])
    expect(listReceived().map(event => event.flow_name)).toEqual(['four'])
  })

  it('receives events as the API shows them, with the control of a decision', async () => {
    await fillOrg(app, app.admin, ORG)
    await addControl(app, 'REL-9')
    await createFlow('approved')
    await app.admin.put(`/trails/${ORG}/approved`, { name: 't' })
    const path = `/attestations/${ORG}/approved/trail/t/system`
    expect((await app.admin.post(path, buildDecision('REL-9', true))).status).toBe(201)
    await sendNow(app, [hook()])
    const received = new Map(listReceived().map(({ org, log: _, ...event }) => [`${org} ${event.id}`, event]))
    const { body } = await app.admin.get(`/audit-events/${ORG}?per_page=100`)
    const shown = body.events.map(({ parts: _, ...event }: { parts: unknown; id: string }) => event)
    expect(shown.map(({ id }: { id: string }) => received.get(`${ORG} ${id}`))).toEqual(shown)
    expect(shown).toContainEqual(
      expect.objectContaining({
        control: 'REL-9',
        sentence: 'ada approved control REL-9 in trail t of flow approved',
      }),
    )
  })

  it('is signed, with an id that stays the same when a batch is repeated', async () => {
    await keepOneLog()
    await createFlow('one')
    receiver.answers = [{ status: 500 }, { status: 500 }]
    await sendNow(app, [hook({ secret: SECRET })])
    await createFlow('two')
    pass(6)
    await sendNow(app, [hook({ secret: SECRET })])
    pass(16)
    await sendNow(app, [hook({ secret: SECRET })])
    const [first, again] = receiver.requests
    expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(again?.body).toBe(first?.body)
    const {
      'webhook-id': id,
      'webhook-timestamp': time,
      'webhook-signature': signature,
    } = first?.headers ?? {}
    const key = Buffer.alloc(32, 7)
    const expected = createHmac('sha256', key).update(`${id}.${time}.${first?.body}`).digest('base64')
    expect(signature).toBe(`v1,${expected}`)
  })

  it('receives nothing for a report that changes nothing', async () => {
    await app.admin.put(`/environments/${ORG}`, { name: 'prod', type: 'K8S', description: '' })
    const report = () => app.admin.put(`/environments/${ORG}/prod/report/K8S`, buildPodReport('aa'))
    await report()
    await sendNow(app, [hook()])
    receiver.requests.length = 0
    pass(24 * 3_600)
    await report()
    expect(await app.readEvents('environment_confirmed')).not.toEqual([])
    await sendNow(app, [hook()])
    expect(receiver.requests).toEqual([])
    expect(await readMetric('waybill_audit_sink_unsent')).toBe(0)
  })
})

async function readMetric(name: string): Promise<number> {
  const shown = await startTestApp({
    beside: app,
    settings: { WAYBILL_AUDIT_SINKS: JSON.stringify([hook()]) },
  })
  const { body } = await shown.server.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })
  await shown.stop()
  const line = body.split('\n').find(one => one.startsWith(`${name}{sink="hook"} `))
  return Number(line?.split(' ').at(-1) ?? Number.NaN)
}

describe('a receiver that accepts nothing', () => {
  it('is retried after a pause, loses nothing, and the operator sees since when', async () => {
    await createFlow('one')
    receiver.answers = Array.from({ length: 3 }, () => ({ status: 503 }))
    await sendNow(app, [hook()])
    const asked = receiver.requests.length
    // One failing organization shows that it does not respond.
    expect(asked).toBe(1)
    pass(4)
    await sendNow(app, [hook()])
    expect(receiver.requests).toHaveLength(asked)
    expect(await readMetric('waybill_audit_sink_failing_orgs')).toBeGreaterThan(0)
    expect(await readMetric('waybill_audit_sink_unsent')).toBeGreaterThan(0)
    expect(await readMetric('waybill_audit_sink_oldest_age_seconds')).toBeGreaterThan(0)
    const [cursor] = await app.sql('select message, failures from audit_sink_cursors where failures > 0')
    expect(cursor).toEqual({ message: 'The receiver answered with the status 503', failures: 1 })
    for (const seconds of [2, 16, 61, 301]) {
      pass(seconds)
      await sendNow(app, [hook()])
    }
    receiver.requests.splice(0, 3)
    expect(listIds(ORG)).toEqual(shorten(await listLogged(ORG), listIds(ORG)))
    expect(await readMetric('waybill_audit_sink_failing_orgs')).toBe(0)
    expect(await readMetric('waybill_audit_sink_unsent')).toBe(0)
    expect(await readMetric('waybill_audit_sink_oldest_age_seconds')).toBe(0)
  })

  it('does not hold up another sink', async () => {
    const other = await startHttpReceiver()
    receiver.answers = Array.from({ length: 50 }, () => ({ status: 500 }))
    await createFlow('one')
    await sendNow(app, [hook(), { name: 'other', kind: 'webhook', url: other.url }])
    expect(other.requests.flatMap(({ body }) => parseLines(body)).map(event => event.flow_name)).toContain(
      'one',
    )
  })
})

describe('two workers', () => {
  it('send no batch twice', async () => {
    for (const name of ['one', 'two', 'three']) await createFlow(name)
    await Promise.all([1, 2, 3, 4].map(() => sendNow(app, [hook()])))
    const ids = listReceived().map(event => event.id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(listIds(ORG)).toEqual(shorten(await listLogged(ORG), listIds(ORG)))
  })
})

describe('an OpenTelemetry collector', () => {
  const otlp = () => ({
    name: 'otel',
    kind: 'otlp',
    url: `${receiver.url}/base/`,
    headers: { 'x-tenant': 'acme' },
  })

  it('receives a log record for each event', async () => {
    await createFlow('one')
    await sendNow(app, [otlp()])
    const [request] = receiver.requests
    expect(request).toMatchObject({ path: '/base/v1/logs', headers: { 'x-tenant': 'acme' } })
    const records = receiver.requests
      .flatMap(({ body }) => JSON.parse(body).resourceLogs)
      .flatMap(({ scopeLogs }) => scopeLogs)
      .flatMap(({ logRecords }) => logRecords)
    const record = records.find(({ eventName }) => eventName === 'flow_created')
    expect(record).toMatchObject({
      timeUnixNano: expect.stringMatching(/^\d{19}$/),
      severityNumber: 9,
      body: { stringValue: expect.stringContaining('"flow_name":"one"') },
    })
    expect(record.attributes).toContainEqual({ key: 'waybill.org', value: { stringValue: ORG } })
  })

  it('that rejects some of the events receives the batch again', async () => {
    await keepOneLog()
    await createFlow('one')
    receiver.answers = [{ status: 200, body: '{"partialSuccess":{"rejectedLogRecords":"2"}}' }]
    await sendNow(app, [otlp()])
    const [cursor] = await app.sql('select message from audit_sink_cursors where failures > 0 limit 1')
    expect(cursor).toEqual({ message: 'The receiver has rejected 2 of the events' })
    pass(6)
    await sendNow(app, [otlp()])
    expect(receiver.requests.filter(({ body }) => body === receiver.requests[0]?.body)).toHaveLength(2)
  })
})

describe('a syslog receiver', () => {
  const MESSAGE =
    /^<(\d+)>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) waybill\.test waybill - (\w+) \[waybill@32473 ([^\]]+)\] (\{.*\})$/

  it('receives a message of RFC 5424 for each event, over TLS', async () => {
    const syslog = await startSyslogReceiver()
    const sink = { name: 'siem', kind: 'syslog', url: syslog.url }
    await createFlow('one')
    await sendNow(app, [sink], syslog.ca_pem)
    const parsed = syslog.messages().map(message => MESSAGE.exec(message) ?? expect.fail(message))
    const [, priority, , , data, json = ''] = parsed.find(([, , , kind]) => kind === 'flow_created') ?? []
    expect(priority).toBe('110')
    expect(data).toContain(`org="${ORG}" actor="ada"`)
    expect(JSON.parse(json)).toMatchObject({ kind: 'flow_created', flow_name: 'one' })
    const ids = parsed
      .map(match => JSON.parse(match[5] ?? ''))
      .flatMap(event => (event.org === ORG ? event.id : []))
    expect(ids).toEqual(shorten(await listLogged(ORG), ids))
  })

  it('that breaks the connection receives the batch again', async () => {
    await keepOneLog()
    const syslog = await startSyslogReceiver()
    const sink = { name: 'siem', kind: 'syslog', url: syslog.url }
    syslog.break_next = 1
    await createFlow('one')
    await sendNow(app, [sink], syslog.ca_pem)
    expect(syslog.messages()).toEqual([])
    pass(6)
    await sendNow(app, [sink], syslog.ca_pem)
    expect(syslog.messages().join('\n')).toContain('"flow_name":"one"')
  })

  it('without a trusted certificate receives nothing', async () => {
    const syslog = await startSyslogReceiver()
    await createFlow('one')
    await sendNow(app, [{ name: 'siem', kind: 'syslog', url: syslog.url }])
    expect(syslog.messages()).toEqual([])
    const [cursor] = await app.sql('select message from audit_sink_cursors where failures > 0 limit 1')
    expect(cursor?.message).toContain('certificate')
  })
})

describe('a bucket', () => {
  it('receives an object for each batch, named by its first and last number', async () => {
    const s3 = await startS3Server('audit')
    const sink = {
      name: 'lake',
      kind: 's3',
      url: `s3://audit/events?endpoint=${s3.endpoint}&region=eu-west-1`,
      access_key_id: 'my-key',
      secret_access_key: 'my-secret',
    }
    await createFlow('one')
    await sendNow(app, [sink])
    await createFlow('two')
    await sendNow(app, [sink])
    const keys = [...s3.objects.keys()].filter(key => key.startsWith(`events/${ORG}/`)).sort()
    expect(keys).toHaveLength(2)
    for (const key of keys) expect(key).toMatch(/\/\d+-\d{12}_\d+-\d{12}\.ndjson\.gz$/)
    const events = keys.flatMap(key =>
      parseLines(gunzipSync(s3.objects.get(key)?.content ?? Buffer.alloc(0)).toString()),
    )
    const ids = events.map(({ id }) => id)
    expect(ids).toEqual(shorten(await listLogged(ORG), ids))
    await s3.stop()
  })
})

describe('the format ocsf', () => {
  it.each([
    ['flow_created', { class_uid: 6003, activity_id: 1, type_uid: 600301, category_uid: 6 }],
    ['member_added', { class_uid: 3005, activity_id: 1, type_uid: 300501, category_uid: 3 }],
    ['user_created', { class_uid: 3001, activity_id: 1, type_uid: 300101, category_uid: 3 }],
  ])('has the class of %s', async (kind, expected) => {
    await createFlow('one')
    await sendNow(app, [hook({ format: 'ocsf' })])
    const found = listReceived().find(({ metadata }) => metadata.event_code === kind)
    expect(found ?? listReceived().map(({ metadata }) => metadata.event_code)).toMatchObject({
      ...expected,
      message: expect.any(String),
      time: expect.any(Number),
      severity_id: 1,
      status_id: 1,
      metadata: {
        version: '1.4.0',
        product: { name: 'Waybill', version: '1.2.3' },
        log_name: expect.any(String),
      },
      actor: { user: { name: expect.any(String) } },
    })
  })
})

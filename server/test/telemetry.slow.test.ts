// A service with OpenTelemetry settings, as a collector sees it: spans of requests, statements and deliveries, and the log.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { startHttpReceiver } from './audit-sinks.ts'
import { type Collector, type ReceivedSpan, startCollector } from './collector.ts'
import { until } from './patience.ts'
import {
  createDatabase,
  makeDataDirectory,
  makeScratchFolder,
  type Service,
  startService,
} from './service.ts'

const ORG = 'demo-org'
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const INTERNAL = 1
const SERVER = 2
const CLIENT = 3
const FLOWS = `/api/v2/flows/${ORG}`
const SECRETS = {
  query: 'planted-query',
  header: 'planted-header',
  body: 'planted-body',
  name: 'planted-name',
}

let collector: Collector
let data_dir: string
let database_url: string
let service: Service

const settings = (url: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=planted-tenant',
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=tests',
})

const restart = async (env: Record<string, string>, key = service.key) => {
  service.signal('SIGTERM')
  await service.ended
  service = { ...(await startService({ data_dir, env: { DATABASE_URL: database_url, ...env } })), key }
}

const get = (path: string, headers: Record<string, string> = {}) =>
  service.call('GET', path, { key: service.key, headers })

/** Sends a request and returns its span. */
async function traceRequest(headers: Record<string, string>): Promise<ReceivedSpan> {
  const before = collector.spans.length
  await get(FLOWS, headers)
  const find = () => collector.spans.slice(before).find(({ kind }) => kind === SERVER)
  await until(() => find() !== undefined)
  return find() as ReceivedSpan
}

const readMetric = async (labels: string) => {
  const { text } = await get('/metrics')
  const line = text.split('\n').find(line => line.startsWith(`waybill_telemetry_items_total{${labels}}`))
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}

beforeAll(async () => {
  collector = await startCollector()
  data_dir = makeDataDirectory()
  database_url = (await createDatabase()).url
  service = await startService({ data_dir, env: { DATABASE_URL: database_url, ...settings(collector.url) } })
})

describe('a request', () => {
  it('has a span with its route and its status, and a child span for each statement', async () => {
    const body = { name: SECRETS.name, description: SECRETS.body }
    const { status, headers } = await service.call('PUT', FLOWS, {
      key: service.key,
      body,
      headers: { 'user-agent': SECRETS.header, cookie: `a=${SECRETS.header}` },
    })
    expect(status).toBe(201)
    const ofRequest = () =>
      collector.spans.find(({ attributes }) => attributes['waybill.request_id'] === headers['x-request-id'])
    await until(() => ofRequest() !== undefined)
    const span = ofRequest() as ReceivedSpan
    expect(span).toMatchObject({
      name: 'PUT /api/v2/flows/:org',
      kind: SERVER,
      parent_span_id: undefined,
      has_failed: false,
      attributes: {
        'http.request.method': 'PUT',
        'http.route': '/api/v2/flows/:org',
        'http.response.status_code': 201,
        'url.scheme': 'http',
        'waybill.operation': expect.any(String),
        'waybill.org': ORG,
      },
    })
    expect(span.duration_ns).toBeGreaterThan(0n)
    const statements = collector.spans.filter(
      ({ trace_id, kind }) => trace_id === span.trace_id && kind === CLIENT,
    )
    expect(statements.map(({ name }) => name)).toContain('commit')
    expect(statements.length).toBeGreaterThan(2)
    for (const { name, attributes, parent_span_id } of statements) {
      expect(parent_span_id).toBe(span.span_id)
      expect(attributes).toMatchObject({ 'db.system.name': 'postgresql', 'db.query.summary': name })
      expect(attributes['db.response.returned_rows']).toEqual(expect.any(Number))
    }
  })

  it('has the organization only if the caller may see it', async () => {
    await get('/api/v2/flows/planted-org')
    const find = () =>
      collector.spans.find(({ attributes }) => attributes['http.response.status_code'] === 403)
    await until(() => find() !== undefined)
    expect(find()?.attributes).not.toHaveProperty('waybill.org')
  })

  it('that no route matches is named by its method alone', async () => {
    await service.call('POST', `/api/v2/planted-path?x=${SECRETS.query}`, { key: service.key })
    await until(() => collector.spans.some(({ name }) => name === 'POST'))
  })

  it('has log lines with its ids, on stderr and at the collector', async () => {
    const span = await traceRequest({})
    const isOfSpan = (line: string) =>
      line.includes(`"trace_id":"${span.trace_id}","span_id":"${span.span_id}"`)
    const { trace_id, span_id } = span
    await until(() => collector.logs.some(({ line }) => isOfSpan(line)))
    const copies = collector.logs.filter(({ line }) => isOfSpan(line))
    for (const record of copies) expect(record).toMatchObject({ trace_id, span_id, severity: 'INFO' })
    expect(service.stderr().split('\n').some(isOfSpan)).toBe(true)
    const copied = new Set(collector.logs.map(({ line }) => line))
    const lines = service
      .stderr()
      .split('\n')
      .filter(line => line.startsWith('{'))
    expect(lines.filter(isOfSpan).every(line => copied.has(line))).toBe(true)
  })

  it('names the process it came from', async () => {
    expect(collector.resources[0]).toEqual({
      'service.name': 'waybill',
      'service.version': expect.any(String),
      'service.instance.id': expect.any(String),
      'deployment.environment.name': 'tests',
    })
    expect(collector.headers[0]).toMatchObject({
      'x-tenant': 'planted-tenant',
      'content-type': 'application/json',
    })
  })
})

describe('the trace of a caller', () => {
  it('continues', async () => {
    const span = await traceRequest({ traceparent: `00-${TRACE}-${SPAN}-01` })
    expect(span).toMatchObject({ trace_id: TRACE, parent_span_id: SPAN })
  })

  it('is left out if the caller does not export it', async () => {
    const other = TRACE.replace('4', '5')
    const { headers } = await get(FLOWS, { traceparent: `00-${other}-${SPAN}-00` })
    await traceRequest({})
    expect(collector.spans.some(({ trace_id }) => trace_id === other)).toBe(false)
    // Its log lines still have its id.
    expect(service.stderr()).toContain(`"request_id":"${headers['x-request-id']}","trace_id":"${other}"`)
  })

  it.each([
    ['is junk', 'planted-junk'],
    ['is longer than its version allows', `00-${TRACE}-${SPAN}-01-planted`],
    ['has no version', `ff-${TRACE}-${SPAN}-01`],
    ['has an id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['comes twice', `00-${TRACE}-${SPAN}-01,00-${TRACE}-${SPAN}-01`],
    ['is very long', `00-${TRACE}-${SPAN}-01${'a'.repeat(10_000)}`],
  ])('begins anew if the header %s', async (_, traceparent) => {
    const span = await traceRequest({ traceparent, tracestate: 'planted=state' })
    expect(span.parent_span_id).toBeUndefined()
    expect(span.trace_id).not.toBe(TRACE)
  })
})

describe('requests that are stored together', () => {
  it('have one span for their batch, which is linked to all of them', async () => {
    await service.call('PUT', `/api/v2/trails/${ORG}/${SECRETS.name}`, {
      key: service.key,
      body: { name: 'run' },
    })
    const attest = () =>
      service.call('POST', `/api/v2/attestations/${ORG}/${SECRETS.name}/trail/run/generic`, {
        key: service.key,
        body: { attestation_name: 'unit', is_compliant: true },
      })
    const answers = await Promise.all(Array.from({ length: 8 }, attest))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201))
    const items = () =>
      collector.spans
        .filter(({ name }) => name === 'store batch')
        .reduce((sum, { attributes }) => sum + Number(attributes['waybill.batch.items']), 0)
    await until(() => items() === 8)
    for (const batch of collector.spans.filter(({ name }) => name === 'store batch')) {
      expect(batch.links.length + 1).toBe(batch.attributes['waybill.batch.items'])
      const parts = collector.spans.filter(({ parent_span_id }) => parent_span_id === batch.span_id)
      expect(parts.map(({ kind }) => kind)).toContain(CLIENT)
    }
  })
})

describe('an evaluation', () => {
  it('has a span with its statements', async () => {
    const send = async (method: string, path: string, body: object) => {
      const { status, text } = await service.call(method, path, { key: service.key, body })
      if (status >= 300) throw new Error(text)
    }
    const environments = `/api/v2/environments/${ORG}`
    await send('PUT', environments, { name: 'planted-environment', type: 'server', description: '' })
    const artifacts = [{ digests: { planted: 'a'.repeat(64) }, creationTimestamp: 1 }]
    await send('PUT', `${environments}/planted-environment/report/server`, { artifacts })
    const policy_yaml = '_schema: https://waybill.example/schemas/policy/v1\n'
    await send('PUT', `/api/v2/policies/${ORG}/planted-policy`, { policy_yaml })
    await send('POST', `${environments}/planted-environment/policies`, { policy_names: ['planted-policy'] })
    const find = () => collector.spans.find(({ name }) => name === 'evaluate environment')
    await until(() => find() !== undefined)
    expect(find()).toMatchObject({ kind: INTERNAL, parent_span_id: undefined, has_failed: false })
    const parts = collector.spans.filter(({ parent_span_id }) => parent_span_id === find()?.span_id)
    expect(parts.map(({ name }) => name)).toContain('commit')
  })
})

describe('probes', () => {
  it('have no spans', async () => {
    for (const path of ['/healthz', '/ready', '/metrics']) expect((await get(path)).status).toBe(200)
    await traceRequest({})
    expect(collector.spans.filter(({ name }) => /healthz|ready|metrics/.test(name))).toEqual([])
  })
})

describe('what is exported', () => {
  it('contains nothing that callers wrote, except for the log lines that stderr has too', () => {
    expect(collector.problems).toEqual([])
    const traces = collector.bodies.filter(body => body.includes('resourceSpans')).join('\n')
    expect(traces).toContain('PUT /api/v2/flows/:org')
    expect(traces).not.toMatch(/planted/)
    expect(traces).not.toContain(service.key)
    const logs = collector.bodies.filter(body => body.includes('resourceLogs')).join('\n')
    for (const secret of [...Object.values(SECRETS), service.key]) expect(logs).not.toContain(secret)
    // Loops look for work all the time; only spans of requests and of found work are exported.
    const ids = new Set(collector.spans.map(({ span_id }) => span_id))
    const roots = collector.spans.filter(({ parent_span_id }) => !ids.has(parent_span_id ?? ''))
    expect(roots.filter(({ kind, name }) => kind === CLIENT && !/^(deliver|send) /.test(name))).toEqual([])
  })
})

describe('deliveries', () => {
  it('have a span each: a mail, and a batch for an audit sink', async () => {
    const receiver = await startHttpReceiver()
    const sinks = [{ name: 'siem', kind: 'webhook', url: receiver.url, format: 'native' }]
    await restart({ ...settings(collector.url), WAYBILL_AUDIT_SINKS: JSON.stringify(sinks) })
    const sent = () => collector.spans.find(({ name }) => name === 'send to webhook sink')
    await until(() => sent() !== undefined)
    expect(sent()).toMatchObject({ kind: CLIENT, has_failed: false })
    expect(sent()?.attributes).toMatchObject({
      'waybill.audit_sink': 'siem',
      'waybill.org': expect.any(String),
    })
    const invited = await service.call('POST', `/api/v2/invitations/${ORG}`, {
      key: service.key,
      body: { email: 'planted@example.com', role: 'reader' },
    })
    expect(invited.status).toBe(201)
    const delivered = () => collector.spans.find(({ name }) => name === 'deliver mail')
    await until(() => delivered() !== undefined)
    expect(delivered()).toMatchObject({ kind: CLIENT, attributes: { 'waybill.job.attempt': 1 } })
    expect(
      collector.spans.filter(({ trace_id }) => trace_id === delivered()?.trace_id).length,
    ).toBeGreaterThan(1)
    expect(collector.bodies.filter(body => body.includes('resourceSpans')).join()).not.toMatch(/planted/)
  })
})

describe('a ratio of 0', () => {
  it('cannot be overruled by a caller', async () => {
    const sampler = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }
    await restart({ ...settings(collector.url), ...sampler })
    const before = collector.spans.length
    const { headers } = await get(FLOWS, { traceparent: `00-${TRACE}-${SPAN}-01` })
    await until(() => collector.logs.some(({ line }) => line.includes(String(headers['x-request-id']))))
    service.signal('SIGTERM')
    await service.ended
    expect(collector.spans.length).toBe(before)
  })
})

describe('a collector that', () => {
  it.each([
    [400, 'refused'],
    [500, 'refused'],
  ])('answers with %s loses what it refuses, and it is counted', async (answer, outcome) => {
    collector.answer = answer
    await restart(settings(collector.url))
    expect((await get(FLOWS)).status).toBe(200)
    await until(async () => ((await readMetric(`signal="traces",outcome="${outcome}"`)) ?? 0) > 0)
    expect(service.stderr()).toContain('the OpenTelemetry collector takes nothing')
    collector.answer = 200
    const { trace_id } = await traceRequest({})
    expect(trace_id).toBeDefined()
    await until(async () => ((await readMetric('signal="traces",outcome="exported"')) ?? 0) > 0)
  })

  it('is down for a moment gets everything afterwards', async () => {
    collector.answer = 503
    await restart(settings(collector.url))
    const { headers } = await get(FLOWS)
    await until(() => service.stderr().includes('the OpenTelemetry collector takes nothing'))
    collector.answer = 200
    await until(() =>
      collector.spans.some(({ attributes }) => attributes['waybill.request_id'] === headers['x-request-id']),
    )
  })

  it.each(['never', 'gone'] as const)('responds %s delays neither requests nor the end', async how => {
    const env = how === 'gone' ? settings('http://127.0.0.1:9') : settings(collector.url)
    collector.answer = how === 'never' ? 'never' : 200
    await restart(env)
    for (let i = 0; i < 20; i++) expect((await get(FLOWS)).status).toBe(200)
    service.signal('SIGTERM')
    expect((await service.ended).code).toBe(0)
    collector.answer = 200
  })

  it('listens until the end gets the spans of the last requests', async () => {
    await restart(settings(collector.url))
    const { headers } = await get(FLOWS)
    service.signal('SIGTERM')
    await service.ended
    const ids = collector.spans.map(({ attributes }) => attributes['waybill.request_id'])
    expect(ids).toContain(headers['x-request-id'])
    expect(collector.logs.some(({ line }) => line.includes('"stopping"'))).toBe(true)
  })
})

describe('without an endpoint', () => {
  it('the telemetry code is not even loaded, and log lines have no ids', async () => {
    const loaded: Record<string, string[]> = {}
    for (const [name, env] of Object.entries({ on: settings(collector.url), off: {} })) {
      const NODE_V8_COVERAGE = makeScratchFolder()
      await restart({ ...env, NODE_V8_COVERAGE })
      expect((await get(FLOWS)).status).toBe(200)
      expect(await readMetric('signal="logs",outcome="exported"')).toEqual(
        name === 'on' ? expect.any(Number) : undefined,
      )
      service.signal('SIGTERM')
      await service.ended
      loaded[name] = listLoadedCode(NODE_V8_COVERAGE)
    }
    expect(loaded.on?.filter(isOfTelemetry)).not.toEqual([])
    expect(loaded.off?.filter(isOfTelemetry)).toEqual([])
    expect(service.stderr()).not.toContain('trace_id')
  })
})

/** The files that a process of the program has loaded, which V8 lists when it ends. */
function listLoadedCode(folder: string): string[] {
  const urls = readdirSync(folder).flatMap(file => {
    const { result } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { result: { url: string }[] }
    return result.map(({ url }) => url)
  })
  return urls.filter(url => url.includes('/server/dist/'))
}

const isOfTelemetry = (url: string) => readFileSync(new URL(url), 'utf8').includes('resourceSpans')

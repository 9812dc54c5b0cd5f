// `npm run check -- sinks collector`: a real OpenTelemetry collector receives the traces and the log of a new
// service, and its audit events as a sink, and writes what it has understood to files. It is stopped and restarted
// while events are recorded, and must have all of them at the end. Needs Go, which builds the collector from source
// at a fixed version.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../../run/prepare.mjs'
import { findFreePort, ORG, startService } from '../../run/service.mjs'
import { createFlows } from './create-flows.mjs'

const FLOWS = 60
const MAX_WAIT_MS = 5 * 60_000
const AUDIT_SCOPE = 'waybill.audit'

const folder = mkdtempSync(join(tmpdir(), 'waybill-collector-'))
const program = process.env.WAYBILL_COLLECTOR ?? buildCollector()
const port = await findFreePort()
const endpoint = `http://127.0.0.1:${port}`
let collector = await startCollector()
const service = await startService(join(folder, 'data'), {
  WAYBILL_LOG_LEVEL: 'info',
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=check',
  WAYBILL_AUDIT_SINKS: JSON.stringify([{ name: 'collector', kind: 'otlp', url: endpoint, format: 'ocsf' }]),
})
let is_stopped = false
try {
  await createFlows(service, 0, FLOWS / 3)
  await waitFor('events of the first flows', () => readNumbers().length > FLOWS / 3)
  collector.kill('SIGTERM')
  await once(collector, 'exit')
  await createFlows(service, FLOWS / 3, (2 * FLOWS) / 3)
  collector = await startCollector()
  await createFlows(service, (2 * FLOWS) / 3, FLOWS)
  await waitFor('events of all flows', () => countFlowEvents() >= FLOWS)
  await service.stop()
  is_stopped = true
  collector.kill('SIGTERM')
  await once(collector, 'exit')
  report()
} finally {
  collector.kill('SIGTERM')
  if (!is_stopped) await service.stop()
  rmSync(folder, { recursive: true, force: true })
}

function report() {
  const numbers = readNumbers()
  const missing = Array.from({ length: Math.max(...numbers) }, (_, i) => i).filter(i => !numbers.includes(i))
  console.log(`the collector has ${numbers.length} audit events, missing: ${missing.join(', ') || 'none'}`)
  const spans = readSpans()
  const requests = spans.filter(({ name }) => name === 'PUT /api/v2/flows/:org')
  const ids = new Set(requests.map(({ traceId }) => traceId))
  const parts = spans.filter(({ traceId, name }) => ids.has(traceId) && name === 'commit')
  console.log(
    `the collector has ${spans.length} spans, ${requests.length} of ${FLOWS} requests, with ${parts.length} commits`,
  )
  const lines = readRecords('waybill').filter(({ traceId }) => ids.has(traceId))
  console.log(`the collector has ${lines.length} log lines of these requests`)
  const isComplete =
    missing.length === 0 && requests.length === FLOWS && parts.length === FLOWS && lines.length >= FLOWS
  if (!isComplete) process.exitCode = 1
}

function buildCollector() {
  const built = join(folder, 'collector')
  const source = join(root, 'scripts', 'check', 'sinks', 'collector')
  const { status, error } = spawnSync('go', ['build', '-C', source, '-o', built, '.'], { stdio: 'inherit' })
  if (error || status !== 0) throw new Error('The collector could not be built; this check needs Go')
  return built
}

async function startCollector() {
  const configuration = join(folder, 'collector.yaml')
  const write = name => `file/${name}: { path: ${join(folder, `${name}.jsonl`)}, append: true }`
  writeFileSync(
    configuration,
    `receivers: { otlp: { protocols: { http: { endpoint: '127.0.0.1:${port}' } } } }
exporters:
  ${write('traces')}
  ${write('logs')}
service:
  telemetry: { logs: { level: warn }, metrics: { level: none } }
  pipelines:
    traces: { receivers: [otlp], exporters: [file/traces] }
    logs: { receivers: [otlp], exporters: [file/logs] }
`,
  )
  const started = spawn(program, ['--config', configuration], { stdio: 'inherit' })
  await waitFor(
    'the collector',
    async () => (await fetch(`${endpoint}/v1/logs`).catch(() => undefined)) !== undefined,
  )
  return started
}

/** The collector's output: one OTLP message per line. */
function readMessages(name) {
  const file = join(folder, `${name}.jsonl`)
  if (!existsSync(file)) return []
  // The last line may still be incomplete.
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map(line => JSON.parse(line))
}

function readSpans() {
  const scopes = readMessages('traces').flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(of => of.scopeSpans),
  )
  return scopes.flatMap(({ spans }) => spans)
}

function readRecords(scope_name) {
  const scopes = readMessages('logs').flatMap(({ resourceLogs }) => resourceLogs.flatMap(of => of.scopeLogs))
  return scopes.filter(({ scope }) => scope.name === scope_name).flatMap(({ logRecords }) => logRecords)
}

function readEvents() {
  const events = readRecords(AUDIT_SCOPE).map(({ attributes }) =>
    Object.fromEntries(
      attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
    ),
  )
  return events.filter(event => event['waybill.org'] === ORG)
}

/** Sorted and without duplicates: a batch can arrive twice. */
function readNumbers() {
  return [...new Set(readEvents().map(event => event['waybill.log.number']))].sort((a, b) => a - b)
}

function countFlowEvents() {
  const created = readEvents().filter(event => event['event.name'] === 'flow_created')
  return new Set(created.map(event => event['waybill.event.id'])).size
}

async function waitFor(what, isTrue) {
  for (let waited_ms = 0; waited_ms < MAX_WAIT_MS; waited_ms += 500) {
    if (await isTrue()) return
    await sleep(500)
  }
  throw new Error(`The collector has not received ${what}`)
}

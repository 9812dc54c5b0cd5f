// Ten thousand webhooks to a receiver on this machine, against a bare loop of undici that sends the same to the same
// receiver; and what each costs the database. The receiver is a process of its own, as a receiver is.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Agent, request } from 'undici'
import { type Certificate, makeTestCa } from '../server/test/tls.ts'
import { type BenchService, makeScratch, ORG, startService } from './bench-service.ts'
import { print, printTitle } from './report.ts'
import { buildPodReport, makeEnvironment, numbers, sendReport } from './sample-report.ts'

const MESSAGES = 10_000
const BARE_MESSAGES = 3_000
/** As many as the worker sends at once for one org. */
const AT_ONCE = 8
const LOOK_EVERY_MS = 20

interface ReceiverState {
  received: number
  last_ms: number
  body: string
}

if (process.send) await receive()
else await measure()

async function measure(): Promise<void> {
  const ca = await makeTestCa()
  const receiver = fork(fileURLToPath(import.meta.url), { stdio: 'inherit' })
  receiver.send(await ca.serverFor(['127.0.0.1']))
  const [url] = (await once(receiver, 'message')) as [string]
  const ca_file = join(await makeScratch(), 'ca.pem')
  await writeFile(ca_file, ca.ca_pem)
  const service = await startService({ NODE_EXTRA_CA_CERTS: ca_file, WAYBILL_EGRESS_ALLOW: '127.0.0.0/8' })
  try {
    const ours = await deliverAll(service, receiver, url)
    const fresh = await runBareLoop(url, ca.ca_pem, ours.body, { keeps_connections: false })
    const kept = await runBareLoop(url, ca.ca_pem, ours.body, { keeps_connections: true })
    printTitle(`${MESSAGES} webhooks with TLS to one receiver, ${AT_ONCE} at once`)
    print({ name: 'deliveries', value: ours.per_second, unit: 'per second' })
    print({
      name: 'against a bare loop, a connection for each',
      value: ours.per_second / fresh,
      aim: { at_least: 0.5 },
    })
    print({ name: 'against a bare loop that keeps its connections', value: ours.per_second / kept })
    print({ name: 'SQL statements for each', value: ours.statements / MESSAGES, aim: { at_most: 3 } })
    print({ name: 'waits for the database for each', value: ours.waits / MESSAGES })
  } finally {
    await service.stop()
    receiver.disconnect()
  }
}

async function deliverAll(service: BenchService, receiver: ChildProcess, url: string) {
  await makeEnvironment(service, 'prod')
  await service.put(`/organizations/${ORG}/environments_notifications`, {
    name: 'all',
    environments: ['prod'],
    triggers: ['ON_STARTED_ARTIFACT'],
    targets: [{ type: 'WEBHOOK', webhook: `${url}/hook` }],
  })
  await sendReport(service, 'prod', buildPodReport(numbers(0, MESSAGES)))
  const started_ms = performance.now()
  const already = (await readReceiver(receiver)).received
  const before = await readCost(service)
  let state = await readReceiver(receiver)
  while (state.received < MESSAGES) {
    await new Promise(resolve => setTimeout(resolve, LOOK_EVERY_MS))
    state = await readReceiver(receiver)
  }
  const seconds = (performance.now() - started_ms) / 1000
  const after = await readCost(service)
  const many = MESSAGES - already
  return {
    per_second: many / seconds,
    statements: ((after.statements - before.statements) / many) * MESSAGES,
    waits: ((after.waits - before.waits) / many) * MESSAGES,
    body: state.body,
  }
}

async function readCost({ readCounterTotal: counter }: BenchService) {
  return {
    statements: await counter('waybill_sql_statements_total'),
    waits: await counter('waybill_sql_waits_total'),
  }
}

async function readReceiver(receiver: ChildProcess): Promise<ReceiverState> {
  receiver.send('count')
  const [state] = (await once(receiver, 'message')) as [ReceiverState]
  return state
}

/** What the least program would do: POST, read the answer, next. */
async function runBareLoop(url: string, ca: string, body: string, given: { keeps_connections: boolean }) {
  const dispatcher = new Agent({ connect: { ca, maxCachedSessions: 0 }, connections: AT_ONCE })
  const reset = !given.keeps_connections
  let left = BARE_MESSAGES
  const sendNext = async () => {
    while (left-- > 0) {
      const answer = await request(`${url}/hook`, {
        method: 'POST',
        dispatcher,
        reset,
        headers: { 'content-type': 'application/json' },
        body,
      })
      await answer.body.text()
      if (answer.statusCode !== 200) throw new Error(`The receiver answered ${answer.statusCode}`)
    }
  }
  const started_ms = performance.now()
  await Promise.all(Array.from({ length: AT_ONCE }, sendNext))
  const per_second = (BARE_MESSAGES / (performance.now() - started_ms)) * 1000
  await dispatcher.close()
  return per_second
}

/** The receiver: counts, keeps the latest body, and answers. */
async function receive(): Promise<void> {
  const state: ReceiverState = { received: 0, last_ms: 0, body: '' }
  const [certificate] = (await once(process, 'message')) as [Certificate]
  const server = createServer(certificate, (incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', chunk => chunks.push(chunk))
    incoming.on('end', () => {
      state.received += 1
      state.body = Buffer.concat(chunks).toString()
      response.end('ok')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.on('message', () => process.send?.(state))
  process.on('disconnect', () => process.exit(0))
  process.send?.(`https://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

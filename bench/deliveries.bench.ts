// Delivers ten thousand webhooks to a receiver on this machine, compared with a bare undici loop that sends the same
// messages, and counts the SQL per delivery. The receiver has its own process, as in reality.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Certificate, makeTestCa } from '@waybill/testing/tls'
import { Agent, request } from 'undici'
import { type BenchService, makeScratch, ORG, startService } from './bench-service.ts'
import { print, printTitle } from './report.ts'
import { buildPodReport, listNumbers, makeEnvironment, sendReport } from './sample-report.ts'

const MESSAGES = 10_000
const BARE_MESSAGES = 3_000
/** As many as the worker sends concurrently for one org. */
const CONCURRENCY = 8
const POLL_MS = 20

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
    printTitle(`${MESSAGES} webhooks with TLS to one receiver, ${CONCURRENCY} concurrently`)
    print({ name: 'deliveries', value: ours.per_second, unit: 'per second' })
    print({
      name: 'compared with a bare loop, one connection per message',
      value: ours.per_second / fresh,
      aim: { at_least: 0.5 },
    })
    print({ name: 'compared with a bare loop that reuses connections', value: ours.per_second / kept })
    print({ name: 'SQL statements per delivery', value: ours.statements / MESSAGES, aim: { at_most: 3 } })
    print({ name: 'waits for the database per delivery', value: ours.waits / MESSAGES })
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
  await sendReport(service, 'prod', buildPodReport(listNumbers(0, MESSAGES)))
  const started_ms = performance.now()
  const receivedBefore = (await readReceiver(receiver)).received
  const before = await readCost(service)
  let state = await readReceiver(receiver)
  while (state.received < MESSAGES) {
    await new Promise(resolve => setTimeout(resolve, POLL_MS))
    state = await readReceiver(receiver)
  }
  const seconds = (performance.now() - started_ms) / 1000
  const after = await readCost(service)
  const delivered = MESSAGES - receivedBefore
  return {
    per_second: delivered / seconds,
    statements: ((after.statements - before.statements) / delivered) * MESSAGES,
    waits: ((after.waits - before.waits) / delivered) * MESSAGES,
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

/** The minimal program: POST, read the response, repeat. */
async function runBareLoop(url: string, ca: string, body: string, options: { keeps_connections: boolean }) {
  const dispatcher = new Agent({ connect: { ca, maxCachedSessions: 0 }, connections: CONCURRENCY })
  const reset = !options.keeps_connections
  let left = BARE_MESSAGES
  const sendNext = async () => {
    while (left-- > 0) {
      const response = await request(`${url}/hook`, {
        method: 'POST',
        dispatcher,
        reset,
        headers: { 'content-type': 'application/json' },
        body,
      })
      await response.body.text()
      if (response.statusCode !== 200) throw new Error(`The receiver returned ${response.statusCode}`)
    }
  }
  const started_ms = performance.now()
  await Promise.all(Array.from({ length: CONCURRENCY }, sendNext))
  const per_second = (BARE_MESSAGES / (performance.now() - started_ms)) * 1000
  await dispatcher.close()
  return per_second
}

/** The receiver counts requests, keeps the latest body and responds. */
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

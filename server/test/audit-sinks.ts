// Shared by the tests of audit sinks: sending due events, as the worker does every second, and receivers for each
// kind.
import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startTlsReceiver } from '@waybill/testing/receivers'
import { makeTestCa } from '@waybill/testing/tls'
import { makeSenders, sendToSinks } from '../src/audit-sinks/follow.ts'
import { systemClock } from '../src/lib/clock.ts'
import { makeLog } from '../src/lib/log.ts'
import { buildEgress } from '../src/outbound.ts'
import { readConfig } from '../src/settings/config.ts'
import { PATIENT_EGRESS } from './egress.ts'
import { BASE_URL, type TestApp } from './harness.ts'
import { PATIENCE_MS } from './patience.ts'
import { addCleanUp } from './service.ts'

/** Sends all due events, in a process that has just started. */
export async function sendNow(app: TestApp, sinks: readonly object[], trusted_ca?: string): Promise<void> {
  const config = readConfig({ WAYBILL_AUDIT_SINKS: JSON.stringify(sinks) })
  const log = makeLog('silent')
  const egress = buildEgress(config, {
    version: '0',
    clock: systemClock,
    log,
    limits: PATIENT_EGRESS,
    trusted_ca,
  })
  const { db, clock } = app
  const { audit_sinks, s3_credentials } = config
  const parts = { db, clock, log, egress, s3_credentials, version: '1.2.3', base_url: BASE_URL }
  const following = { ...parts, sinks: audit_sinks, limit_ms: PATIENCE_MS }
  await sendToSinks(following, makeSenders(following))
}

export interface HttpReceiver {
  url: string
  requests: { path: string; headers: IncomingHttpHeaders; body: string }[]
  /** The next responses; 200 without a body if there is none. */
  answers: { status: number; body?: string }[]
}

export async function startHttpReceiver(): Promise<HttpReceiver> {
  const receiver: HttpReceiver = { url: '', requests: [], answers: [] }
  const server = createHttpServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    receiver.requests.push({ path: request.url ?? '', headers: request.headers, body })
    const { status, body: answer } = receiver.answers.shift() ?? { status: 200 }
    response.writeHead(status, { 'content-type': 'application/json' }).end(answer)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  addCleanUp(() => {
    server.closeAllConnections()
    server.close()
  })
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return receiver
}

export interface SyslogReceiver {
  url: string
  ca_pem: string
  /** The complete messages of each connection. */
  messages(): string[]
  /** Resets this many connections. */
  break_next: number
}

export async function startSyslogReceiver(): Promise<SyslogReceiver> {
  const ca = await makeTestCa()
  const received: Buffer[] = []
  const state = { break_next: 0 }
  const receiver = await startTlsReceiver(await ca.serverFor(['127.0.0.1']), {
    onTcpConnection: socket => {
      if (state.break_next === 0) return
      state.break_next -= 1
      socket.resetAndDestroy()
    },
    onConnection: socket => {
      const chunks: Buffer[] = []
      socket.on('data', chunk => chunks.push(chunk))
      socket.on('end', () => {
        received.push(Buffer.concat(chunks))
        socket.end()
      })
    },
  })
  addCleanUp(() => receiver.stop())
  return Object.assign(state, {
    url: `tls://127.0.0.1:${receiver.port}`,
    ca_pem: ca.ca_pem,
    messages: () => received.flatMap(splitFrames),
  })
}

/** Split by the length before each message: RFC 5425. */
function splitFrames(bytes: Buffer): string[] {
  const messages: string[] = []
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(' ', at)
    const length = Number(bytes.toString('latin1', at, space))
    if (!(length > 0)) throw new Error(`no length at byte ${at}`)
    messages.push(bytes.toString('utf8', space + 1, space + 1 + length))
    at = space + 1 + length
  }
  return messages
}

// The only place where the program opens connections: one request, one response, with streamed bodies. Uses
// the proxy that the environment names. Follows no redirects, because one could send the key elsewhere.
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { TLSSocket } from 'node:tls'
import { findProxy } from './proxy.ts'

interface Outgoing {
  method: string
  url: URL
  headers: Readonly<Record<string, string>>
  /** Called for each attempt, because a stream can be read only once. */
  openBody?: (() => Readable | Buffer) | undefined
  timeout_ms: number
  /** A Unix socket to connect to instead of the host. */
  socket_path?: string
  /** For a service with its own certificates, such as the API server of a cluster. */
  tls?: { ca?: string; cert?: string; key?: string; servername?: string } | undefined
  signal?: AbortSignal | undefined
  /** Called when the request is on its way: there is time until the answer. */
  onSent?: (() => void) | undefined
}

export interface Incoming {
  status: number
  headers: Readonly<Record<string, string>>
  body: IncomingMessage
}

/** No complete response: the service could not be reached, or the connection broke. */
export class ConnectionProblem extends Error {}

/** What the system may have taken from this program, and not sent yet. */
const UNSENT_BYTES = 4 * 1024 * 1024
/** The slowest line that the service accepts. */
const SLOWEST_BYTES_PER_S = 16 * 1024

const LARGEST_ANSWER_BYTES = 256 * 1024 * 1024

export type Exchange = (outgoing: Outgoing) => Promise<Incoming>

export function makeExchange(env: Readonly<Record<string, string | undefined>>): Exchange {
  return async outgoing => {
    try {
      return await exchange(outgoing, env)
    } catch (error) {
      if (error instanceof ConnectionProblem) throw error
      throw new ConnectionProblem(explain(error, outgoing.url), { cause: error })
    }
  }
}

async function exchange(
  outgoing: Outgoing,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Incoming> {
  const { url, timeout_ms } = outgoing
  const isSecure = url.protocol === 'https:'
  const proxy = outgoing.socket_path === undefined ? findProxy(url, env) : undefined
  const tunnel = proxy && isSecure ? await openTunnel(proxy, url, timeout_ms) : undefined
  const start = await loadRequest(url)
  const through = proxy && !isSecure ? proxy : undefined
  const request = start({
    method: outgoing.method,
    protocol: through?.protocol ?? url.protocol,
    host: (through ?? url).hostname.replace(/^\[|\]$/g, ''),
    port: (through ?? url).port || undefined,
    path: through ? url.href : url.pathname + url.search,
    headers: { host: url.host, ...outgoing.headers, ...(through ? buildProxyHeaders(through) : {}) },
    ...(outgoing.socket_path === undefined ? {} : { socketPath: outgoing.socket_path }),
    ...(tunnel === undefined ? {} : { createConnection: () => tunnel }),
    ...outgoing.tls,
    agent: false,
    signal: outgoing.signal,
  })
  // Only guards against hanging: the socket must be active within this time.
  const quiet_ms = allowForBody(timeout_ms, Number(outgoing.headers['content-length'] ?? 0))
  request.setTimeout(quiet_ms, () =>
    request.destroy(new ConnectionProblem(`no answer within ${Math.round(quiet_ms / 1000)} s`)),
  )
  if (outgoing.onSent) request.once('finish', outgoing.onSent)
  const answer = waitForAnswer(request)
  await sendBody(request, outgoing, answer)
  const response = await answer
  return { status: response.statusCode ?? 0, headers: joinHeaders(response), body: response }
}

/** While the system sends the end of a body over a slow line, this program sees nothing of it. */
export function allowForBody(timeout_ms: number, body_bytes: number): number {
  return timeout_ms + (Math.min(body_bytes, UNSENT_BYTES) / SLOWEST_BYTES_PER_S) * 1000
}

function waitForAnswer(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve)
    request.once('error', reject)
  })
}

async function sendBody(
  request: ClientRequest,
  { openBody }: Outgoing,
  answer: Promise<IncomingMessage>,
): Promise<void> {
  const body = openBody?.()
  if (body === undefined || Buffer.isBuffer(body)) {
    request.end(body)
    return
  }
  // A service may respond and close the connection before it has read everything, for example with 413. That
  // response counts.
  await Promise.race([pipeline(body, request).catch(() => answer), answer])
}

function joinHeaders(response: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  )
}

/** Loaded with the first request: they would take a third of the startup time. */
async function loadRequest({ protocol }: URL) {
  const { request } = protocol === 'https:' ? await import('node:https') : await import('node:http')
  return request
}

/** Sends `CONNECT`, then uses TLS with the service itself: the proxy sees neither key nor evidence. */
async function openTunnel(proxy: URL, url: URL, timeout_ms: number) {
  const start = await loadRequest(proxy)
  const { connect } = await import('node:tls')
  return new Promise<TLSSocket>((resolve, reject) => {
    const port = url.port || '443'
    const request = start({
      method: 'CONNECT',
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port || undefined,
      path: `${url.hostname}:${port}`,
      headers: { host: `${url.hostname}:${port}`, ...buildProxyHeaders(proxy) },
      agent: false,
    })
    request.setTimeout(timeout_ms, () =>
      request.destroy(new ConnectionProblem(`the proxy ${proxy.host} does not answer`)),
    )
    request.once('error', error =>
      reject(new ConnectionProblem(`the proxy ${proxy.host} cannot be used: ${error.message}`)),
    )
    request.once('connect', (response, socket) => {
      if (response.statusCode !== 200)
        return reject(new ConnectionProblem(`the proxy ${proxy.host} answered ${response.statusCode}`))
      resolve(connect({ socket, servername: url.hostname, ALPNProtocols: ['http/1.1'] }))
    })
    request.end()
  })
}

function buildProxyHeaders(proxy: URL): Record<string, string> {
  if (proxy.username === '') return {}
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }
}

/** Contains no secrets: neither the path nor the credentials of the address. */
function explain(error: unknown, url: URL): string {
  const { code, message } = error as NodeJS.ErrnoException
  const reasons: Record<string, string> = {
    ECONNREFUSED: 'nothing listens there',
    ENOTFOUND: 'there is no such host',
    EAI_AGAIN: 'its name cannot be resolved',
    ECONNRESET: 'the connection was cut',
    EPIPE: 'the connection was cut',
    ETIMEDOUT: 'no answer',
    EHOSTUNREACH: 'there is no way to this host',
    ENETUNREACH: 'there is no network',
  }
  return `${url.host}: ${reasons[code ?? ''] ?? message ?? String(error)}`
}

/** Reads the whole response. Fails if it is larger than any API response. */
export async function readBody({ body }: Incoming, limit_bytes = LARGEST_ANSWER_BYTES): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of body) {
      length += chunk.length
      if (length > limit_bytes) throw new ConnectionProblem(`the answer is larger than ${limit_bytes} bytes`)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof ConnectionProblem) throw error
    throw new ConnectionProblem('the answer broke off', { cause: error })
  }
  if (!body.complete) throw new ConnectionProblem('the answer broke off')
  return Buffer.concat(chunks)
}

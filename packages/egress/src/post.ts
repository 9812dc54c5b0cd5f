// Posts a message to a URL that a user typed. Checks the URL, resolves the name once, checks every address, connects
// only to those, verifies the certificate and posts once. No redirects, proxies, cookies or reused connections; times
// out after 30 seconds.
import type { IncomingMessage } from 'node:http'
import type { SecureContext } from 'node:tls'
import type { Clock } from './clock.ts'
import { openConnection } from './connect.ts'
import type { Egress, Posted } from './egress.ts'
import { EgressError } from './egress-error.ts'
import { type EgressUrl, parseEgressUrl } from './egress-url.ts'
import { formatHostHeader, type HttpRequest, isRedirect, sendRequest } from './exchange.ts'
import { type ReachParts, resolvePublicAddresses } from './reach.ts'
import { parseRetryAfter } from './retry-after.ts'

const MAX_RESPONSE_BYTES = 64 * 1024
const START_BYTES = 512
const DEFAULT_PORT = 443

export interface EgressConfig extends ReachParts {
  clock: Clock
  secure: SecureContext
  user_agent: string
  connect_ms: number
  total_ms: number
}

type Message = Parameters<Egress['post']>[1]

/** Rejects with `EgressError`. */
export async function post(address: string, message: Message, config: EgressConfig): Promise<Posted> {
  const checked = parseEgressUrl(address, config.allow)
  if (!checked) throw new EgressError('bad_address')
  const { host, port } = checked
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(new EgressError('slow_answer')), config.total_ms)
  try {
    const addresses = await resolvePublicAddresses(host, config)
    const socket = await openConnection(
      { host, port, addresses, secure: config.secure },
      { limit_ms: config.connect_ms, monotonic_ms: config.clock.monotonic_ms, signal: deadline.signal },
    )
    deadline.signal.addEventListener('abort', () => socket.destroy(deadline.signal.reason))
    try {
      const response = await sendRequest(socket, buildRequest(checked, message, config.user_agent))
      const posted = await readResponse(response, config.clock.now())
      // A response without a length ends with its connection, even if we closed it on timeout.
      deadline.signal.throwIfAborted()
      return posted
    } finally {
      socket.destroy()
    }
  } catch (error) {
    // Any error after the timeout is a consequence of it.
    throw deadline.signal.aborted ? deadline.signal.reason : error
  } finally {
    clearTimeout(timer)
  }
}

function buildRequest(
  { url, host, port }: EgressUrl,
  { headers, body }: Message,
  user_agent: string,
): HttpRequest {
  return {
    method: 'POST',
    path: url.pathname + url.search,
    headers: {
      'user-agent': user_agent,
      accept: '*/*',
      ...headers,
      'accept-encoding': 'identity',
      host: formatHostHeader(host, port, DEFAULT_PORT),
    },
    body,
  }
}

async function readResponse(response: IncomingMessage, now: Date): Promise<Posted> {
  const status = response.statusCode ?? 0
  if (isRedirect(status)) throw new EgressError('redirected')
  return {
    reached: true,
    status,
    retry_after_s: parseRetryAfter(response.headers['retry-after'], now),
    start: await readStart(response),
  }
}

/** Reads the response to its end, so as not to cut off a receiver that is still working, but only up to a limit. */
async function readStart(response: IncomingMessage): Promise<string> {
  const start: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (bytes < START_BYTES) start.push(chunk.subarray(0, START_BYTES - bytes))
      bytes += chunk.length
      if (bytes >= MAX_RESPONSE_BYTES) break
    }
  } catch (error) {
    throw new EgressError('broken', error)
  }
  return toText(Buffer.concat(start))
}

/** Drops a truncated character at the end, replaces line breaks by spaces and removes other control characters. */
function toText(bytes: Buffer): string {
  const text = new TextDecoder().decode(bytes, { stream: true })
  return text.replaceAll(/[\t\r\n]+/g, ' ').replaceAll(/\p{C}/gu, '')
}

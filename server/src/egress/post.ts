// A message to where a user said: judged, resolved once, every address judged, connected to exactly those, proven by
// TLS, posted once. No redirect, proxy, cookie or second use of a connection, and an end at the latest after 30 seconds.
import type { IncomingMessage } from 'node:http'
import type { SecureContext } from 'node:tls'
import type { Clock } from '../lib/clock.ts'
import { openConnection } from './connect.ts'
import type { Egress, Posted } from './egress.ts'
import { EgressError } from './egress-error.ts'
import { type EgressUrl, parseEgressUrl } from './egress-url.ts'
import { formatHostHeader, type HttpRequest, isRedirect, sendRequest } from './exchange.ts'
import { type ReachParts, resolvePublicAddresses } from './reach.ts'
import { parseRetryAfter } from './retry-after.ts'

const MOST_ANSWER_BYTES = 64 * 1024
const START_BYTES = 512
const USUAL_PORT = 443

export interface EgressConfig extends ReachParts {
  clock: Clock
  secure: SecureContext
  user_agent: string
  connect_ms: number
  total_ms: number
}

type Message = Parameters<Egress['post']>[1]

/** Rejects with `Missed`. */
export async function post(address: string, message: Message, config: EgressConfig): Promise<Posted> {
  const checked = parseEgressUrl(address, config.allow)
  if (!checked) throw new EgressError('bad_address')
  const { host, port } = checked
  const over = new AbortController()
  const late = setTimeout(() => over.abort(new EgressError('slow_answer')), config.total_ms)
  try {
    const addresses = await resolvePublicAddresses(host, config)
    const socket = await openConnection(
      { host, port, addresses, secure: config.secure },
      { limit_ms: config.connect_ms, monotonic_ms: config.clock.monotonic_ms, signal: over.signal },
    )
    over.signal.addEventListener('abort', () => socket.destroy(over.signal.reason))
    try {
      const answer = await sendRequest(socket, buildRequest(checked, message, config.user_agent))
      const posted = await readAnswer(answer, config.clock.now())
      // An answer without a length ends with its connection, also when it is us who end that.
      over.signal.throwIfAborted()
      return posted
    } finally {
      socket.destroy()
    }
  } catch (error) {
    // Whatever broke when the time was over, broke because it was over.
    throw over.signal.aborted ? over.signal.reason : error
  } finally {
    clearTimeout(late)
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
      host: formatHostHeader(host, port, USUAL_PORT),
    },
    body,
  }
}

async function readAnswer(answer: IncomingMessage, now: Date): Promise<Posted> {
  const status = answer.statusCode ?? 0
  if (isRedirect(status)) throw new EgressError('redirected')
  return {
    reached: true,
    status,
    retry_after_s: parseRetryAfter(answer.headers['retry-after'], now),
    start: await readStart(answer),
  }
}

/** Reads the answer to its end, so that a receiver which is still at work is not cut off, but not for ever. */
async function readStart(answer: IncomingMessage): Promise<string> {
  const start: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      if (bytes < START_BYTES) start.push(chunk.subarray(0, START_BYTES - bytes))
      bytes += chunk.length
      if (bytes >= MOST_ANSWER_BYTES) break
    }
  } catch (error) {
    throw new EgressError('broken', error)
  }
  return toText(Buffer.concat(start))
}

/** A letter that is cut in half at the end is left out; line ends become blanks and other control characters nothing. */
function toText(bytes: Buffer): string {
  const text = new TextDecoder().decode(bytes, { stream: true })
  return text.replaceAll(/[\t\r\n]+/g, ' ').replaceAll(/\p{C}/gu, '')
}

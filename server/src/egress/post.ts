// A message to where a user said: judged, resolved once, every address judged, connected to exactly those, proven by
// TLS, posted once. No redirect, proxy, cookie or second use of a connection, and an end at the latest after 30 seconds.
import type { IncomingMessage } from 'node:http'
import type { SecureContext } from 'node:tls'
import type { Clock } from '../lib/clock.ts'
import { openConnection } from './connect.ts'
import type { Egress, Posted } from './egress.ts'
import { ask, hostHeader, isRedirect, type Question } from './exchange.ts'
import { type JudgedUrl, judgeUrl } from './judge-url.ts'
import { Missed } from './missed.ts'
import { publicAddresses, type ReachParts } from './reach.ts'
import { retryAfterSeconds } from './retry-after.ts'

const MOST_ANSWER_BYTES = 64 * 1024
const START_BYTES = 512
const USUAL_PORT = 443

export interface WayOut extends ReachParts {
  clock: Clock
  secure: SecureContext
  user_agent: string
  connect_ms: number
  total_ms: number
}

type Message = Parameters<Egress['post']>[1]

/** Rejects with `Missed`. */
export async function post(address: string, message: Message, way: WayOut): Promise<Posted> {
  const judged = judgeUrl(address, way.allow)
  if (!judged) throw new Missed('bad_address')
  const { host, port } = judged
  const over = new AbortController()
  const late = setTimeout(() => over.abort(new Missed('slow_answer')), way.total_ms)
  try {
    const addresses = await publicAddresses(host, way)
    const socket = await openConnection(
      { host, port, addresses, secure: way.secure },
      { limit_ms: way.connect_ms, monotonic_ms: way.clock.monotonic_ms, signal: over.signal },
    )
    over.signal.addEventListener('abort', () => socket.destroy(over.signal.reason))
    try {
      const answer = await ask(socket, questionOf(judged, message, way.user_agent))
      const posted = await answerTo(answer, way.clock.now())
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

function questionOf(
  { url, host, port }: JudgedUrl,
  { headers, body }: Message,
  user_agent: string,
): Question {
  return {
    method: 'POST',
    path: url.pathname + url.search,
    headers: {
      'user-agent': user_agent,
      accept: '*/*',
      ...headers,
      'accept-encoding': 'identity',
      host: hostHeader(host, port, USUAL_PORT),
    },
    body,
  }
}

async function answerTo(answer: IncomingMessage, now: Date): Promise<Posted> {
  const status = answer.statusCode ?? 0
  if (isRedirect(status)) throw new Missed('redirected')
  return {
    reached: true,
    status,
    retry_after_s: retryAfterSeconds(answer.headers['retry-after'], now),
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
    throw new Missed('broken', error)
  }
  return asText(Buffer.concat(start))
}

/** A letter that is cut in half at the end is left out; line ends become blanks and other control characters nothing. */
function asText(bytes: Buffer): string {
  const text = new TextDecoder().decode(bytes, { stream: true })
  return text.replaceAll(/[\t\r\n]+/g, ' ').replaceAll(/\p{C}/gu, '')
}

// `fetch` for what the operator's settings name: identity providers, issuers of CI tokens, the bucket for evidence. Those
// hosts may be private; whatever else they lead to is held to the same rules as the address of a message.
import type { IncomingMessage } from 'node:http'
import { ByteLengthQueuingStrategy, ReadableStream } from 'node:stream/web'
import { type Destination, openConnection } from './connect.ts'
import { ask, hostHeader, isRedirect } from './exchange.ts'
import { hostOf, judgeUrl } from './judge-url.ts'
import { Missed } from './missed.ts'
import type { WayOut } from './post.ts'
import { operatorAddresses, publicAddresses } from './reach.ts'

/** So much is read ahead: a small answer ends its connection also when nobody reads it. */
const READ_AHEAD_BYTES = 64 * 1024
/** A larger one that nobody goes on reading is given up. */
const UNREAD_MS = 5 * 60 * 1000

/** Rejects with `Missed`, or with the reason of the signal that was given. */
export async function fetchFrom(
  way: WayOut,
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> {
  const given = init.signal ?? (input instanceof Request ? input.signal : undefined)
  const wanted = new Request(input, { ...init, signal: null })
  const over = new AbortController()
  const onAbort = () => over.abort(given?.reason)
  given?.addEventListener('abort', onAbort)
  if (given?.aborted) onAbort()
  const late = init.signal ? undefined : setTimeout(() => over.abort(new Missed('slow_answer')), way.total_ms)
  const end = () => given?.removeEventListener('abort', onAbort)
  try {
    const answer = await answerTo(way, wanted, over.signal)
    try {
      return responseOf(answer, { method: wanted.method, signal: over.signal, end })
    } catch (error) {
      // A status that there is none of, such as 999.
      answer.destroy()
      throw new Missed('broken', error)
    }
  } catch (error) {
    end()
    throw over.signal.aborted ? over.signal.reason : error
  } finally {
    clearTimeout(late)
  }
}

async function answerTo(way: WayOut, wanted: Request, signal: AbortSignal): Promise<IncomingMessage> {
  const body = wanted.body === null ? undefined : new Uint8Array(await wanted.arrayBuffer())
  const url = new URL(wanted.url)
  const destination = await destinationOf(url, way)
  const socket = await openConnection(destination, {
    limit_ms: way.connect_ms,
    monotonic_ms: way.clock.monotonic_ms,
    signal,
  })
  signal.addEventListener('abort', () => socket.destroy(signal.reason))
  if (signal.aborted) socket.destroy()
  socket.setTimeout(UNREAD_MS, () => socket.destroy(new Missed('slow_answer')))
  const answer = await ask(socket, {
    method: wanted.method,
    path: url.pathname + url.search,
    headers: {
      'user-agent': way.user_agent,
      accept: '*/*',
      ...Object.fromEntries(wanted.headers),
      'accept-encoding': 'identity',
      host: hostHeader(destination.host, destination.port, destination.secure ? 443 : 80),
    },
    body,
  })
  if (isRedirect(answer.statusCode ?? 0)) {
    socket.destroy()
    throw new Missed('redirected')
  }
  return answer
}

async function destinationOf(url: URL, way: WayOut): Promise<Destination> {
  const host = hostOf(url)
  const isPlain = url.protocol === 'http:'
  if (way.operator_hosts.has(host) && (isPlain || url.protocol === 'https:')) {
    const port = Number(url.port || (isPlain ? 80 : 443))
    const addresses = await operatorAddresses(host, way)
    return { host, port, addresses, secure: isPlain ? undefined : way.secure }
  }
  const judged = judgeUrl(url.href, way.allow)
  if (!judged) throw new Missed('bad_address')
  return { host, port: judged.port, addresses: await publicAddresses(host, way), secure: way.secure }
}

interface Asked {
  method: string
  signal: AbortSignal
  /** When nothing more can come. */
  end: () => void
}

function responseOf(answer: IncomingMessage, { method, signal, end }: Asked): Response {
  const status = answer.statusCode ?? 0
  const headers = new Headers()
  for (let at = 0; at + 1 < answer.rawHeaders.length; at += 2) {
    headers.append(answer.rawHeaders[at] ?? '', answer.rawHeaders[at + 1] ?? '')
  }
  const isEmpty = method === 'HEAD' || [101, 204, 205, 304].includes(status)
  if (isEmpty) answer.resume()
  answer.once('close', end)
  const body = isEmpty ? null : streamOf(answer, signal)
  return new Response(body, { status, statusText: answer.statusMessage ?? '', headers })
}

function streamOf(answer: IncomingMessage, signal: AbortSignal): ReadableStream<Uint8Array> {
  const chunks = (answer as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>(
    {
      pull: async controller => {
        const next = await chunks.next().catch(error => {
          throw signal.aborted ? signal.reason : new Missed('broken', error)
        })
        // An answer without a length ends with its connection, also when it is us who end that.
        signal.throwIfAborted()
        if (next.done) controller.close()
        else controller.enqueue(new Uint8Array(next.value))
      },
      cancel: () => void answer.destroy(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: READ_AHEAD_BYTES }),
  )
}

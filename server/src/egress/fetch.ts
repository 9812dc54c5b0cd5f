// `fetch` for what the operator's settings name: identity providers, issuers of CI tokens, the bucket for evidence. Those
// hosts may be private; whatever else they lead to is held to the same rules as the address of a message.
import type { IncomingMessage } from 'node:http'
import { ByteLengthQueuingStrategy, ReadableStream } from 'node:stream/web'
import { type Destination, openConnection } from './connect.ts'
import { EgressError } from './egress-error.ts'
import { getHost, parseEgressUrl } from './egress-url.ts'
import { formatHostHeader, isRedirect, sendRequest } from './exchange.ts'
import type { EgressConfig } from './post.ts'
import { resolveOperatorAddresses, resolvePublicAddresses } from './reach.ts'

/** So much is read ahead: a small answer ends its connection also when nobody reads it. */
const READ_AHEAD_BYTES = 64 * 1024
/** A larger one that nobody goes on reading is given up. */
const UNREAD_MS = 5 * 60 * 1000

/** Rejects with `Missed`, or with the reason of the signal that was given. */
export async function fetchUrl(
  config: EgressConfig,
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> {
  const given = init.signal ?? (input instanceof Request ? input.signal : undefined)
  const request = new Request(input, { ...init, signal: null })
  const over = new AbortController()
  const onAbort = () => over.abort(given?.reason)
  given?.addEventListener('abort', onAbort)
  if (given?.aborted) onAbort()
  const late = init.signal
    ? undefined
    : setTimeout(() => over.abort(new EgressError('slow_answer')), config.total_ms)
  const end = () => given?.removeEventListener('abort', onAbort)
  try {
    const answer = await connectAndSend(config, request, over.signal)
    try {
      return toResponse(answer, { method: request.method, signal: over.signal, end })
    } catch (error) {
      // A status that there is none of, such as 999.
      answer.destroy()
      throw new EgressError('broken', error)
    }
  } catch (error) {
    end()
    throw over.signal.aborted ? over.signal.reason : error
  } finally {
    clearTimeout(late)
  }
}

async function connectAndSend(
  config: EgressConfig,
  request: Request,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer())
  const url = new URL(request.url)
  const destination = await resolveDestination(url, config)
  const socket = await openConnection(destination, {
    limit_ms: config.connect_ms,
    monotonic_ms: config.clock.monotonic_ms,
    signal,
  })
  signal.addEventListener('abort', () => socket.destroy(signal.reason))
  if (signal.aborted) socket.destroy()
  socket.setTimeout(UNREAD_MS, () => socket.destroy(new EgressError('slow_answer')))
  const answer = await sendRequest(socket, {
    method: request.method,
    path: url.pathname + url.search,
    headers: {
      'user-agent': config.user_agent,
      accept: '*/*',
      ...Object.fromEntries(request.headers),
      'accept-encoding': 'identity',
      host: formatHostHeader(destination.host, destination.port, destination.secure ? 443 : 80),
    },
    body,
  })
  if (isRedirect(answer.statusCode ?? 0)) {
    socket.destroy()
    throw new EgressError('redirected')
  }
  return answer
}

async function resolveDestination(url: URL, config: EgressConfig): Promise<Destination> {
  const host = getHost(url)
  const isPlain = url.protocol === 'http:'
  if (config.operator_hosts.has(host) && (isPlain || url.protocol === 'https:')) {
    const port = Number(url.port || (isPlain ? 80 : 443))
    const addresses = await resolveOperatorAddresses(host, config)
    return { host, port, addresses, secure: isPlain ? undefined : config.secure }
  }
  const checked = parseEgressUrl(url.href, config.allow)
  if (!checked) throw new EgressError('bad_address')
  return {
    host,
    port: checked.port,
    addresses: await resolvePublicAddresses(host, config),
    secure: config.secure,
  }
}

interface ResponseOptions {
  method: string
  signal: AbortSignal
  /** When nothing more can come. */
  end: () => void
}

function toResponse(answer: IncomingMessage, { method, signal, end }: ResponseOptions): Response {
  const status = answer.statusCode ?? 0
  const headers = new Headers()
  for (let at = 0; at + 1 < answer.rawHeaders.length; at += 2) {
    headers.append(answer.rawHeaders[at] ?? '', answer.rawHeaders[at + 1] ?? '')
  }
  const isEmpty = method === 'HEAD' || [101, 204, 205, 304].includes(status)
  if (isEmpty) answer.resume()
  answer.once('close', end)
  const body = isEmpty ? null : toStream(answer, signal)
  return new Response(body, { status, statusText: answer.statusMessage ?? '', headers })
}

function toStream(answer: IncomingMessage, signal: AbortSignal): ReadableStream<Uint8Array> {
  const chunks = (answer as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>(
    {
      pull: async controller => {
        const next = await chunks.next().catch(error => {
          throw signal.aborted ? signal.reason : new EgressError('broken', error)
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

// `fetch` for hosts in the operator's settings: identity providers, issuers of CI tokens, the evidence bucket. Those
// hosts may be private. All other hosts follow the same rules as the URL of a message.
import type { IncomingMessage } from 'node:http'
import { ByteLengthQueuingStrategy, ReadableStream } from 'node:stream/web'
import { type Destination, openConnection } from './connect.ts'
import { EgressError } from './egress-error.ts'
import { getHost, parseEgressUrl } from './egress-url.ts'
import { formatHostHeader, isRedirect, sendRequest } from './exchange.ts'
import type { EgressConfig } from './post.ts'
import { resolveOperatorAddresses, resolvePublicAddresses } from './reach.ts'

/** Read in advance, so that the connection of a small response closes even if nobody reads it. */
const READ_AHEAD_BYTES = 64 * 1024
/** A larger response that nobody reads is dropped after this time. */
const UNREAD_MS = 5 * 60 * 1000

/** Rejects with `EgressError`, or with the abort reason of the caller's signal. */
export async function fetchUrl(
  config: EgressConfig,
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> {
  const callerSignal = init.signal ?? (input instanceof Request ? input.signal : undefined)
  const request = new Request(input, { ...init, signal: null })
  const deadline = new AbortController()
  const onAbort = () => deadline.abort(callerSignal?.reason)
  callerSignal?.addEventListener('abort', onAbort)
  if (callerSignal?.aborted) onAbort()
  const timer = init.signal
    ? undefined
    : setTimeout(() => deadline.abort(new EgressError('slow_answer')), config.total_ms)
  const end = () => callerSignal?.removeEventListener('abort', onAbort)
  try {
    const response = await connectAndSend(config, request, deadline.signal)
    try {
      return toResponse(response, { method: request.method, signal: deadline.signal, end })
    } catch (error) {
      // An invalid status such as 999.
      response.destroy()
      throw new EgressError('broken', error)
    }
  } catch (error) {
    end()
    throw deadline.signal.aborted ? deadline.signal.reason : error
  } finally {
    clearTimeout(timer)
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
  const response = await sendRequest(socket, {
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
  if (isRedirect(response.statusCode ?? 0)) {
    socket.destroy()
    throw new EgressError('redirected')
  }
  return response
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
  /** Called when the response is complete or closed. */
  end: () => void
}

function toResponse(response: IncomingMessage, { method, signal, end }: ResponseOptions): Response {
  const status = response.statusCode ?? 0
  const headers = new Headers()
  for (let at = 0; at + 1 < response.rawHeaders.length; at += 2) {
    headers.append(response.rawHeaders[at] ?? '', response.rawHeaders[at + 1] ?? '')
  }
  const isEmpty = method === 'HEAD' || [101, 204, 205, 304].includes(status)
  if (isEmpty) response.resume()
  response.once('close', end)
  const body = isEmpty ? null : toStream(response, signal)
  return new Response(body, { status, statusText: response.statusMessage ?? '', headers })
}

function toStream(response: IncomingMessage, signal: AbortSignal): ReadableStream<Uint8Array> {
  const chunks = (response as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>(
    {
      pull: async controller => {
        const next = await chunks.next().catch(error => {
          throw signal.aborted ? signal.reason : new EgressError('broken', error)
        })
        // A response without a length ends with its connection, even if we closed it on abort.
        signal.throwIfAborted()
        if (next.done) controller.close()
        else controller.enqueue(new Uint8Array(next.value))
      },
      cancel: () => void response.destroy(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: READ_AHEAD_BYTES }),
  )
}

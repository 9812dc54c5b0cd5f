// The HTTP server: Fastify with every limit and timeout set, the operations as routes, and no other responders.
import multipart from '@fastify/multipart'
import type { IpRange } from '@waybill/egress'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { LIMITS } from '../api/limits.ts'
import type { Contract, Deps, Operation } from '../api/operation.ts'
import { readBasePath, removeBasePath } from '../lib/base-path.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError, badRequest, notFound, tooLarge } from '../lib/errors.ts'
import type { Tracer } from '../lib/tracing.ts'
import { watchMethods } from './allowed-methods.ts'
import { resolveClientAddress } from './client-address.ts'
import { listPaths, toOwnPrefix } from './compat.ts'
import { compressAnswers } from './compression.ts'
import { dispatch, type Gate, getPath, LargeBody, makeAdmissionHook } from './dispatch.ts'
import { sendError, toErrorBody } from './error-response.ts'
import { parseJson } from './json-gate.ts'
import { limitPace, type PaceParts } from './pace.ts'
import { leaveRoom, makeRoomHook } from './room-hooks.ts'
import { limitPhases, type PhaseLimits } from './time-limits.ts'
import { makeTlsFactory, readTlsPair, reloadTls, type TlsFiles } from './tls.ts'
import { traceRequests } from './trace-requests.ts'
import { makeValidators } from './validation.ts'

export const API_PREFIX = '/api/v2'

/** How slow a client may be before it is refused or disconnected, and how long the server may work on a request. */
export interface ClientLimits extends PhaseLimits {
  headers_ms: number
  /** In each period of this length it must send or read enough bytes. */
  pace_ms: number
  /** Time without a byte in either direction, unless the server is working on a request. */
  silent_ms: number
  /** Time between two requests. */
  keep_alive_ms: number
  check_every_ms: number
  /** How long a request waits while its client, or all together, occupy as much memory as they may. */
  room_wait_ms: number
}

export const CLIENT_LIMITS: ClientLimits = {
  headers_ms: 15_000,
  pace_ms: 25_000,
  silent_ms: 25_000,
  handler_ms: 50_000,
  keep_alive_ms: 72_000,
  check_every_ms: 2_000,
  room_wait_ms: 10_000,
}

/** Node's error when a whole request takes too long. */
const SLOW_REQUEST = Object.assign(new Error('the client is silent'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
const MAX_HEADER_BYTES = 16 * 1024
const MAX_PARAM_LENGTH = 2_048
const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/
const ABSOLUTE_TARGET = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i
const OWN_PATH = /^\/(?!\/)/
const NO_HOST = /[\s,@/\\?#]/
/** The route matches only an id here: a repository may have a name that ends like the paths below this parameter. */
const REPO_ID = ':repo_id(^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8}$)'
/** The last parameter of a path if it may contain slashes: `{repo_name+}`. */
const REST = /\{(\w+)\+\}$/

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'cache-control': 'no-store',
}

export interface ServerParts {
  operations: readonly Operation[]
  deps: Deps
  gate: Gate
  logger: FastifyBaseLogger
  newRequestId: () => string
  client_limits: ClientLimits
  /** Whether the service is about to stop. */
  isDraining(): boolean
  /** Forwarding headers are read only from these. */
  trusted_proxies: readonly IpRange[]
  /** Undefined: plain HTTP. */
  tls_files: TlsFiles | undefined
  tracer: Tracer | undefined
  pace: Pick<PaceParts, 'bytes_per_s' | 'ended'>
}

export async function makeServer(parts: ServerParts): Promise<FastifyInstance> {
  const { client_limits, tls_files, logger } = parts
  const tls = tls_files && (await readTlsPair(tls_files))
  const base_path = readBasePath(parts.deps.base_url)
  const http = {
    // An honest body may take longer than any fixed time; pace.ts limits it.
    requestTimeout: 0,
    headersTimeout: client_limits.headers_ms,
    connectionsCheckingInterval: client_limits.check_every_ms,
    maxHeaderSize: MAX_HEADER_BYTES,
  }
  const server = Fastify({
    loggerInstance: logger,
    // request-log.ts writes our own line per request; it includes the request id, so no request needs its own logger.
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: logger => logger,
    requestIdHeader: false,
    genReqId: raw => parseRequestId(raw.headers['x-request-id']) ?? parts.newRequestId(),
    bodyLimit: LIMITS.json_body_bytes,
    requestTimeout: 0,
    connectionTimeout: client_limits.silent_ms,
    keepAliveTimeout: client_limits.keep_alive_ms,
    forceCloseConnections: 'idle',
    // During shutdown a request that still arrives on an open connection is served normally.
    return503OnClosing: false,
    http,
    ...(tls ? { serverFactory: makeTlsFactory(tls, http, client_limits) } : {}),
    rewriteUrl: ({ url = '/' }) => toOwnPrefix(removeBasePath(url, base_path), API_PREFIX),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // No hook runs for a URL that the router cannot parse.
    frameworkErrors: (error, request, reply) =>
      sendError(error, request, setHeaders(reply, request.id, parts.gate.clock)),
    clientErrorHandler: (error, socket) => refuseBrokenRequest(error, socket, parts.newRequestId()),
  })
  limitClients(server, parts)
  const listMethods = watchMethods(server)
  server.decorateRequest('known')
  if (parts.tracer) traceRequests(server, parts.tracer)
  server.addHook('onRequest', async (request, reply) => {
    const { headers, socket } = request
    const peer = socket.remoteAddress ?? ''
    request.known = {
      address: resolveClientAddress({ peer, headers, trusted_proxies: parts.trusted_proxies }),
    }
    setHeaders(reply, request.id, parts.gate.clock)
    refuseTwoHosts(request)
    if (request.url.length > LIMITS.url_bytes) throw new AppError(414, 'The URL is longer than allowed')
    if (request.is404) throw unmatched(listMethods(getPath(request)))
  })
  // For routes that decide later: the web app serves every organization name, and some names are not valid.
  server.setNotFoundHandler(async request => {
    throw unmatched(listMethods(getPath(request)))
  })
  closeConnectionsOnStop(server, parts.isDraining)
  if (tls_files && tls) reloadTls(server, tls_files, tls, logger)
  addBasePathToRedirects(server, base_path)
  compressAnswers(server, API_PREFIX)
  acceptBodies(server)
  await server.register(multipart)
  addOperations(server, parts)
  leaveRoom(server)
  return server
}

function limitClients(
  server: FastifyInstance,
  { client_limits, pace, gate, newRequestId }: ServerParts,
): void {
  const refuse = (socket: FastifyRequest['raw']['socket']) =>
    refuseBrokenRequest(SLOW_REQUEST, socket, newRequestId())
  limitPhases(server, client_limits, refuse)
  const { pace_ms: period_ms, check_every_ms } = client_limits
  limitPace(server, { ...pace, period_ms, check_every_ms, clock: gate.clock, refuse })
}

/** The date is the database's: pages use it to compute ages. */
function setHeaders(reply: FastifyReply, request_id: string, clock: Clock): FastifyReply {
  const date = clock.now().toUTCString()
  return reply.headers(SECURITY_HEADERS).headers({ 'x-request-id': request_id, date })
}

/** A proxy in front may have checked one host while we would respond for the other. */
function refuseTwoHosts({ raw }: FastifyRequest): void {
  const hosts = raw.rawHeaders.filter(
    (_, place, all) => place % 2 === 1 && all[place - 1]?.toLowerCase() === 'host',
  )
  const named = ABSOLUTE_TARGET.exec(raw.url ?? '')?.[1]
  const isOther = named !== undefined && named.toLowerCase() !== hosts[0]?.toLowerCase()
  if (hosts.length > 1 || isOther || NO_HOST.test(hosts[0] ?? '')) {
    throw badRequest('The request must name exactly one host')
  }
}

/** A caller's request id joins its logs with ours, but only if it is safe to print. */
function parseRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : undefined
}

/** Tells clients to close their connections before and during shutdown, so that a load balancer sees no resets. */
function closeConnectionsOnStop(server: FastifyInstance, isDraining: () => boolean): void {
  let closing = false
  server.addHook('preClose', async () => {
    closing = true
  })
  server.addHook('onSend', async (_request, reply) => {
    if (closing || isDraining()) reply.header('connection', 'close')
  })
}

function addBasePathToRedirects(server: FastifyInstance, base_path: string): void {
  if (base_path === '') return
  server.addHook('onSend', async (_request, reply) => {
    const { location } = reply.getHeaders()
    if (typeof location === 'string' && OWN_PATH.test(location))
      reply.header('location', base_path + location)
  })
}

function acceptBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: string | Buffer) => {
      const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body)
      const { large_body_bytes = Number.POSITIVE_INFINITY } = request.routeOptions.config
      if (bytes.length > large_body_bytes) return new LargeBody(bytes)
      return bytes.length === 0 ? undefined : parseJson(bytes, 'body')
    },
  )
}

function addOperations(server: FastifyInstance, { operations, deps, gate }: ServerParts): void {
  for (const operation of operations) {
    const { contract } = operation
    const handler = dispatch(operation, makeValidators(contract), deps, gate.clock)
    for (const path of listPaths(contract.path)) {
      server.route({
        method: contract.method,
        url: toRoute(path),
        bodyLimit: contract.max_body_bytes ?? LIMITS.json_body_bytes,
        onRequest: [
          ...nameRest(path),
          makeAdmissionHook(contract, gate),
          makeLengthHook(contract),
          makeRoomHook(contract, gate.room),
        ],
        handler,
        config: { operation_id: contract.id, large_body_bytes: contract.large_body_bytes },
      })
    }
  }
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply))
}

/** Thrown before the body is read: no route would read it. */
function unmatched(allowed: readonly string[]): AppError {
  return allowed.length === 0
    ? notFound('There is nothing at this address')
    : new AppError(405, 'The method is not allowed here', undefined, { allow: allowed.join(', ') })
}

/** Runs before the body is read. Files may arrive compressed, so only their content can exceed the limit. */
function makeLengthHook({ form }: Contract) {
  const limit =
    form?.evidence_part === undefined
      ? LIMITS.multipart_request_bytes
      : LIMITS.evidence_content_bytes + LIMITS.multipart_request_bytes
  return async (request: FastifyRequest): Promise<void> => {
    const announced = Number(request.headers['content-length'] ?? 0)
    if (announced > limit) throw tooLarge('The request is larger than allowed')
  }
}

/** `/flows/{org}/{flow_name}` in Fastify's notation; `{name+}`, the rest of the path, is `*`. */
function toRoute(path: string): string {
  const route = path.replace(REST, '*').replaceAll(/\{(\w+)\}/g, ':$1')
  return API_PREFIX + route.replace(':repo_id', REPO_ID)
}

/** Gives the rest of the path, if there is one, the name that the operation uses. */
function nameRest(path: string) {
  const name = REST.exec(path)?.[1]
  if (name === undefined) return []
  return [
    async (request: FastifyRequest): Promise<void> => {
      const { '*': rest, ...others } = request.params as Record<string, string>
      request.params = { ...others, [name]: rest }
    },
  ]
}

/** Requests that Node's HTTP parser rejects never reach Fastify; they still get a response in our format. */
function refuseBrokenRequest(
  error: Error & { code?: string },
  socket: { writable: boolean; end(text: string): void; destroy(): void },
  request_id: string,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const answer =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new AppError(431, 'The request headers are larger than allowed')
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? new AppError(408, 'The request took too long to arrive')
        : new AppError(400, 'The request is not valid HTTP')
  const body = JSON.stringify(toErrorBody(answer))
  const headers = {
    ...SECURITY_HEADERS,
    'x-request-id': request_id,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${answer.status} Refused\r\n${lines.join('')}\r\n${body}`)
}

// The port for health and metrics only, which workers have too. It serves no data and needs no credentials. The
// operator decides who can reach it, so its metrics are not limited to this machine; a token can limit them.
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { notFound } from '../lib/errors.ts'
import { sendError } from './error-response.ts'
import { addHealth, type HealthParts } from './health.ts'
import type { ClientLimits } from './server.ts'

export interface HealthServerParts extends Omit<HealthParts, 'mayReadMetrics'> {
  logger: FastifyBaseLogger
  client_limits: ClientLimits
}

export function makeHealthServer({ logger, client_limits, ...parts }: HealthServerParts): FastifyInstance {
  const server = Fastify({
    loggerInstance: logger,
    // Probes and scrapes would fill the log.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 1,
    // A probe sends nothing but headers.
    requestTimeout: client_limits.headers_ms,
    connectionTimeout: client_limits.silent_ms,
    keepAliveTimeout: client_limits.keep_alive_ms,
    forceCloseConnections: true,
    http: { requestTimeout: client_limits.headers_ms, headersTimeout: client_limits.headers_ms },
  })
  server.addHook('onRequest', async (_request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  })
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  server.setNotFoundHandler(async () => {
    throw notFound('There is nothing at this address')
  })
  addHealth(server, { ...parts, mayReadMetrics: () => true })
  return server
}

// Endpoints for operators at the host root: liveness, readiness and metrics.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { notFound, unauthenticated } from '../lib/errors.ts'
import { hashSecret } from '../lib/secrets.ts'
import type { Metrics } from './metrics.ts'
import type { Readiness } from './readiness.ts'

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/

export interface HealthParts {
  readiness: Readiness
  metrics: Metrics
  /** Metrics reveal how busy the service is. If there is a token, it alone decides. */
  metrics_token: string | undefined
  /** Decides if there is no token. */
  mayReadMetrics(request: FastifyRequest): boolean
}

/** For the scraper on this machine, not for requests through its proxy. */
export function isFromThisMachine({ socket, known }: FastifyRequest): boolean {
  return [socket.remoteAddress ?? '', known.address].every(ip => LOOPBACK.test(ip))
}

export function addHealth(
  server: FastifyInstance,
  { readiness, metrics, metrics_token, mayReadMetrics }: HealthParts,
): void {
  // Liveness never touches the database: restarting this process would not fix it.
  server.get('/healthz', async (_request, reply) => reply.type('text/plain; charset=utf-8').send('OK'))
  server.get('/ready', async (request, reply) => {
    const [checks, warnings] = await Promise.all([readiness.check(), readiness.findWarnings()])
    const problems = Object.values(checks).filter(problem => problem !== undefined)
    if (problems.length > 0) reply.code(503).header('retry-after', '1')
    if (!request.headers.accept?.includes('application/json')) {
      const warned = Object.values(warnings).flatMap(text => (text === undefined ? [] : `warning: ${text}`))
      const text = [problems.join('; ') || 'OK', ...warned].join('\n')
      return reply.type('text/plain; charset=utf-8').send(text)
    }
    const shown = Object.fromEntries(Object.entries(checks).map(([name, problem]) => [name, problem ?? 'OK']))
    const isWarned = Object.values(warnings).some(text => text !== undefined)
    return reply
      .type('application/json; charset=utf-8')
      .send(
        JSON.stringify({ ready: problems.length === 0, checks: shown, ...(isWarned ? { warnings } : {}) }),
      )
  })
  server.get('/metrics', async (request, reply) => {
    if (metrics_token !== undefined) requireToken(request, metrics_token)
    else if (!mayReadMetrics(request)) throw notFound('There is nothing at this address')
    const { type, text } = await metrics.print()
    return reply.type(type).send(text)
  })
}

function requireToken({ headers }: FastifyRequest, token: string): void {
  const given = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  // Compares hashes, so that the time it takes reveals nothing about the token.
  if (given !== undefined && hashSecret(given) === hashSecret(token)) return
  throw unauthenticated('Metrics need the token of WAYBILL_METRICS_TOKEN')
}

// Endpoints for operators at the host root: liveness, readiness and metrics.
import type { FastifyInstance } from 'fastify'
import { notFound } from '../lib/errors.ts'
import type { Metrics } from './metrics.ts'
import type { Checks, Readiness } from './readiness.ts'

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/

export function addHealth(
  server: FastifyInstance,
  readiness: Readiness,
  metrics: Metrics,
  /** What works worse than it should and fails no request. */
  getWarnings: () => Checks = () => ({}),
): void {
  // Liveness never touches the database: restarting this process would not fix it.
  server.get('/healthz', async (_request, reply) => reply.type('text/plain; charset=utf-8').send('OK'))
  server.get('/ready', async (request, reply) => {
    const checks = await readiness.check()
    const problems = Object.values(checks).filter(problem => problem !== undefined)
    if (problems.length > 0) reply.code(503).header('retry-after', '1')
    if (!request.headers.accept?.includes('application/json')) {
      return reply.type('text/plain; charset=utf-8').send(problems.join('; ') || 'OK')
    }
    const shown = Object.fromEntries(Object.entries(checks).map(([name, problem]) => [name, problem ?? 'OK']))
    return reply
      .type('application/json; charset=utf-8')
      .send(JSON.stringify({ ready: problems.length === 0, checks: shown, ...showWarnings(getWarnings()) }))
  })
  server.get('/metrics', async (request, reply) => {
    // Metrics reveal how busy the service is: they are for the scraper on this machine, not for requests through its
    // proxy.
    const isHere = [request.socket.remoteAddress ?? '', request.known.address].every(ip => LOOPBACK.test(ip))
    if (!isHere) throw notFound('There is nothing at this address')
    const { type, text } = await metrics.print()
    return reply.type(type).send(text)
  })
}

function showWarnings(warnings: Checks): { warnings?: Checks } {
  return Object.values(warnings).some(warning => warning !== undefined) ? { warnings } : {}
}

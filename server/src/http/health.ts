// Endpoints for operators at the host root: liveness, readiness and metrics.
import type { FastifyInstance } from 'fastify'
import { notFound } from '../lib/errors.ts'
import type { Metrics } from './metrics.ts'

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/

export interface Health {
  /** Undefined if everything is healthy; otherwise the problem. */
  problem(): Promise<string | undefined>
}

export function addHealth(server: FastifyInstance, health: Health, metrics: Metrics): void {
  // Liveness never touches the database: restarting this process would not fix it.
  server.get('/healthz', async (_request, reply) => reply.type('text/plain; charset=utf-8').send('OK'))
  server.get('/ready', async (_request, reply) => {
    const problem = await health.problem()
    reply.type('text/plain; charset=utf-8')
    return problem === undefined ? reply.send('OK') : reply.code(503).header('retry-after', '1').send(problem)
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

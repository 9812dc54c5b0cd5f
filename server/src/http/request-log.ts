// One log line per request: who requested what, and the result. Never the key, the query or the body.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Metrics } from './metrics.ts'

export function logRequests(server: FastifyInstance, metrics: Metrics): void {
  server.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none'
    // A stream lasts as long as a page is open, which is not a response time.
    if (!reply.getHeader('content-type')?.toString().startsWith('text/event-stream'))
      metrics.observeRequest(route, request.method, reply.statusCode, reply.elapsedTime / 1000)
    request.log.info(
      {
        request_id: request.id,
        ...getTraceIds(request),
        method: request.method,
        route,
        status: reply.statusCode,
        duration_ms: Math.round(reply.elapsedTime * 10) / 10,
        org: request.known?.org_name,
        caller: request.known?.caller?.name,
        key_id: request.known?.caller?.key_id,
        address: request.known?.address ?? request.ip,
      },
      'request',
    )
  })
}

/** The response ends outside of the span. */
function getTraceIds({ span }: FastifyRequest): { trace_id?: string; span_id?: string } {
  return span ? { trace_id: span.trace_id, span_id: span.span_id } : {}
}

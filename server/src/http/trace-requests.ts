// One span for each request, current in everything done for it. It has the route and the status, and nothing that a
// caller wrote: no path, no query, no header, no body, no address and no name of a person.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Span, Tracer } from '../lib/tracing.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Present only with OpenTelemetry. */
    span?: Span
  }
}

const SERVER_FAULT = 500
/** Machines request these every few seconds; their results are metrics. */
const PROBES = new Set(['/healthz', '/ready', '/metrics'])

/** Runs before all other hooks, so that their work is part of the span. */
export function traceRequests(server: FastifyInstance, tracer: Tracer): void {
  server.addHook('onRequest', (request, _reply, done) => {
    const { method, routeOptions, headers } = request
    const { url: route, config } = routeOptions
    if (route !== undefined && PROBES.has(route)) return done()
    const span = tracer.startRequest(
      {
        name: route === undefined ? method : `${method} ${route}`,
        kind: 'server',
        attributes: {
          'http.request.method': method,
          'http.route': route,
          'url.scheme': request.protocol,
          'waybill.operation': config?.operation_id,
          'waybill.request_id': request.id,
        },
      },
      headers.traceparent,
    )
    request.span = span
    tracer.runIn(span, done)
  })
  // Connection events deliver the body, and they run outside of the request's span.
  server.addHook('preValidation', (request, _reply, done) => {
    if (request.span) tracer.runIn(request.span, done)
    else done()
  })
  server.addHook('onSend', async (request, reply) => {
    // A stream lasts as long as a page is open, which is not a response time.
    if (reply.getHeader('content-type')?.toString().startsWith('text/event-stream')) endSpan(request, reply)
  })
  server.addHook('onResponse', async (request, reply) => endSpan(request, reply))
}

function endSpan({ span, known }: FastifyRequest, { statusCode }: FastifyReply): void {
  if (!span) return
  // The name in the path is caller input until the organization is known to exist.
  span.set({ 'http.response.status_code': statusCode, 'waybill.org': known?.org?.name })
  if (statusCode >= SERVER_FAULT) span.fail(String(statusCode))
  span.end()
}

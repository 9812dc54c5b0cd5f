// Who is slow decides what happens. A client that is silent gets 408, or is disconnected if it sent no request. A
// handler that works is left alone, although nothing moves on its connection, until its own limit: then 503.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { tookTooLong } from '../lib/errors.ts'

type Socket = FastifyRequest['raw']['socket']

export interface PhaseLimits {
  /** From the last byte of the request to the beginning of the response. */
  handler_ms: number
}

/** `refuseSlowRequest` responds 408 to a request that is not complete. */
export function limitPhases(
  server: FastifyInstance,
  { handler_ms }: PhaseLimits,
  refuseSlowRequest: (socket: Socket) => void,
): void {
  const timers = new WeakMap<FastifyRequest, NodeJS.Timeout>()
  const running = new WeakMap<Socket, Set<FastifyReply>>()
  const stopTimer = (request: FastifyRequest) => clearTimeout(timers.get(request))

  server.addHook('onRequest', async (request, reply) => {
    const { raw } = request
    const of_socket = running.get(raw.socket) ?? new Set()
    running.set(raw.socket, of_socket.add(reply))
    const timer = setTimeout(() => reply.send(tookTooLong()), handler_ms).unref()
    timers.set(request, timer)
    // The time that the body takes is the client's.
    raw.once('end', () => {
      if (!reply.raw.headersSent) timer.refresh()
    })
  })
  // The response begins. Its pace is the client's.
  server.addHook('onSend', async request => stopTimer(request))
  server.addHook('onResponse', async (request, reply) => {
    stopTimer(request)
    running.get(request.raw.socket)?.delete(reply)
  })

  // Node emits this when nothing was sent or received for a while, and then leaves the socket to us.
  server.server.on('timeout', (socket: Socket) => {
    const [reply] = running.get(socket) ?? []
    if (!reply || reply.raw.headersSent) socket.destroy()
    else if (!reply.request.raw.complete) refuseSlowRequest(socket)
  })
}

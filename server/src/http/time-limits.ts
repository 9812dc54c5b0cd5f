// Tells slow clients from slow handlers. A silent client gets 408, or is disconnected if it sent no request. A
// handler that works is left alone, although nothing moves on its connection, until its own limit: then 503. That
// limit grows with the size of the request, so that the largest report can be stored on a busy machine
// (docs/adr/0027).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { tookTooLong } from '../lib/errors.ts'

type Socket = FastifyRequest['raw']['socket']

export interface PhaseLimits {
  /** Time from the last byte of a small request to the beginning of the response. */
  handler_ms: number
}

/** For each of these many bytes the handler gets the time for a small request once more. */
const BYTES = 4 * 1024 * 1024
const MOST_TIMES = 5

export function computeHandlerLimit(handler_ms: number, body_bytes: number): number {
  return Math.round(handler_ms * Math.min(1 + body_bytes / BYTES, MOST_TIMES))
}

/** An injected request has a socket without a byte count. */
const countRead = ({ bytesRead }: Partial<Pick<Socket, 'bytesRead'>>): number => bytesRead ?? 0

/** Not while the server itself does not read, for example because the evidence store is slow. */
export const waitsForBody = ({ raw }: FastifyRequest): boolean =>
  !raw.complete && raw.readableLength < raw.readableHighWaterMark

/** `refuseSlowRequest` responds 408 to an incomplete request. */
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
    const read_before = countRead(raw.socket)
    const startTimer = (limit_ms: number) => {
      stopTimer(request)
      const end = () => {
        // A body may take as long as its rate suffices: pace.ts.
        if (waitsForBody(request)) startTimer(limit_ms)
        else reply.send(tookTooLong(limit_ms))
      }
      timers.set(request, setTimeout(end, limit_ms).unref())
    }
    startTimer(handler_ms)
    // The time that the body takes is the client's.
    raw.once('end', () => {
      if (reply.raw.headersSent) return
      const announced = Number(raw.headers['content-length'] ?? countRead(raw.socket) - read_before)
      startTimer(computeHandlerLimit(handler_ms, announced))
    })
  })
  // Once the response begins, its pace is the client's.
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

// Ends clients below the minimum rate: those that read a response, and those that send a body, more slowly than that.
// Only time in which the server waits for the client counts.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { judgePace, type Pace, type PaceLimits, type Seen } from '../domain/clients/pace.ts'
import type { Clock } from '../lib/clock.ts'
import { waitsForBody } from './time-limits.ts'

export interface PaceParts extends PaceLimits {
  check_every_ms: number
  clock: Pick<Clock, 'monotonic_ms'>
  ended: SlowClients
  /** Responds 408 and closes the connection. */
  refuse(socket: Socket): void
}

/** How many were disconnected. */
export type SlowClients = Record<'reader' | 'sender', number>

type Socket = FastifyRequest['raw']['socket']

interface Exchange {
  request: FastifyRequest
  reply: FastifyReply
  /** What it is judged as, and how it has done so far. */
  side: keyof SlowClients
  pace: Pace
}

export function limitPace(server: FastifyInstance, parts: PaceParts): void {
  const exchanges = new Map<FastifyRequest, Exchange>()
  server.addHook('onRequest', async (request, reply) => {
    const pace = { since_ms: parts.clock.monotonic_ms(), moved_bytes: countReceived(request) }
    exchanges.set(request, { request, reply, side: 'sender', pace })
    // Fastify does not tell when the client disconnects.
    reply.raw.once('close', () => exchanges.delete(request))
  })
  server.addHook('onResponse', async request => {
    exchanges.delete(request)
  })
  const timer = setInterval(() => {
    const now_ms = parts.clock.monotonic_ms()
    for (const exchange of exchanges.values()) {
      if (!follow(exchange, now_ms, parts)) continue
      exchanges.delete(exchange.request)
      parts.ended[exchange.side] += 1
      end(exchange, parts)
    }
  }, parts.check_every_ms).unref()
  server.addHook('onClose', async () => clearInterval(timer))
}

/** Whether the client is too slow. */
function follow(exchange: Exchange, now_ms: number, limits: PaceLimits): boolean {
  const { request, reply } = exchange
  const side = reply.raw.headersSent ? 'reader' : 'sender'
  const moved_bytes = side === 'reader' ? countRead(request) : countReceived(request)
  const is_waiting = side === 'reader' ? waitsForReader(request) : waitsForBody(request)
  const seen: Seen = { now_ms, moved_bytes, is_waiting: is_waiting && side === exchange.side }
  const { pace, is_too_slow } = judgePace(exchange.pace, seen, limits)
  exchange.side = side
  exchange.pace = pace
  return is_too_slow
}

function end({ request, side }: Exchange, { refuse }: PaceParts): void {
  const { known, id: request_id, raw } = request
  request.log.info(
    { request_id, side, org: known?.org_name, caller: known?.caller?.name, key_id: known?.caller?.key_id },
    'a client below the minimum rate was disconnected',
  )
  if (side === 'sender') refuse(raw.socket)
  else raw.socket.destroy()
}

/** An injected request has a socket that counts nothing. */
const countReceived = ({ raw }: FastifyRequest): number => raw.socket.bytesRead ?? 0

/** `bytesWritten` includes what waits in this process. */
const countRead = ({ raw: { socket } }: FastifyRequest): number =>
  (socket.bytesWritten ?? 0) - (socket.writableLength ?? 0)

const waitsForReader = ({ raw: { socket } }: FastifyRequest): boolean => (socket.writableLength ?? 0) > 0

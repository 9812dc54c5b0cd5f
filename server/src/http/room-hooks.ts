// Asks for room before the work on a request begins: for its body, if that is read into memory, and for its response.
import { toNetwork } from '@waybill/egress'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LIMITS } from '../api/limits.ts'
import type { Contract } from '../api/operation.ts'
import { SMALL_BYTES } from '../domain/clients/room.ts'
import type { Place, Room } from './room.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Occupied until the client has read the response. */
    place?: Place
    leavePlace?: () => void
  }
}

/** Runs after admission, which says who the client is, and before the body is read. */
export function makeRoomHook(contract: Contract, room: Room) {
  const isRead =
    contract.method === 'GET' && contract.streams === undefined && contract.download === undefined
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const client = nameClient(request)
    const { socket } = request.raw
    const body_bytes = countBuffered(contract, request)
    if (body_bytes > SMALL_BYTES) {
      const place = await room.enterToSend(client, body_bytes, socket)
      // The handler has a time limit of its own.
      request.raw.once('end', place.leave).once('close', place.leave)
    }
    if (!isRead) return
    const place = await room.enterToRead(client, describeKind(contract, request), socket)
    request.place = place
    request.leavePlace = runOnce(place.leave)
    // Fastify does not tell when the client disconnects.
    reply.raw.once('close', request.leavePlace)
  }
}

export function leaveRoom(server: FastifyInstance): void {
  server.decorateRequest('place')
  server.decorateRequest('leavePlace')
  server.addHook('onResponse', async request => request.leavePlace?.())
}

function runOnce(work: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}

function nameClient({ known: { caller, address } }: FastifyRequest): string {
  return caller === undefined || caller.kind === 'anonymous' ? toNetwork(address) : caller.key_id
}

/** Responses of one kind have about the same size. Few kinds, or a client could make each request the first of one. */
function describeKind({ id }: Contract, { query }: FastifyRequest): string {
  const per_page = Number((query as { per_page?: unknown }).per_page)
  return per_page >= 1 ? `${id} ${Math.ceil(Math.log2(per_page))}` : id
}

/** The part of the body that waits in memory until it is complete. */
function countBuffered({ form, max_body_bytes, method }: Contract, { headers }: FastifyRequest): number {
  if (method === 'GET' || form?.evidence_part !== undefined) return 0
  const most_bytes = max_body_bytes ?? (form ? LIMITS.multipart_request_bytes : LIMITS.json_body_bytes)
  const announced = headers['content-length']
  if (announced === undefined) return headers['transfer-encoding'] === undefined ? 0 : most_bytes
  return Math.min(Number(announced), most_bytes)
}

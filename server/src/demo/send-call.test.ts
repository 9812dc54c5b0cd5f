// A demo call to a server that is too busy: it is repeated until the server accepts it. Other errors end the demo.
import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { sendCall } from './send-call.ts'

const CALL = { at: 0, by: 'ci', method: 'PUT', path: '/flows/acme', body: { name: 'shop' } } as const

/** Responds with these statuses, one after the other. */
async function send(statuses: number[]) {
  const server = Fastify()
  const bodies: unknown[] = []
  let pauses = 0
  server.put('/api/v2/flows/acme', (request, reply) => {
    bodies.push(request.body)
    return reply.code(statuses.shift() ?? 500).send({})
  })
  const pause = async () => {
    pauses += 1
  }
  const answer = await sendCall(server, CALL, 'key', pause)
  return { status: answer.statusCode, bodies, pauses }
}

it('is repeated with a pause until it is taken', async () => {
  const { body } = CALL
  expect(await send([503, 503, 201])).toEqual({ status: 201, bodies: [body, body, body], pauses: 2 })
})

it('is not repeated if it is refused', () => expect(send([400, 201])).rejects.toThrow('PUT /flows/acme'))

it('is given up if the server stays busy', () =>
  expect(send(Array(500).fill(503))).rejects.toThrow('PUT /flows/acme'))

// A fake of another service on loopback: responds to each path as the test defines, and records the requests.
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach } from 'vitest'

export interface StandIn {
  url: string
  /** Responses by path; every other path returns 404. */
  answers: Record<string, unknown>
  asked: { path: string; headers: IncomingMessage['headers'] }[]
}

/** Filled before the first test of the file, and emptied before each. */
export function serveAnswers(): StandIn {
  const standIn: StandIn = { url: '', answers: {}, asked: [] }
  let server: Server
  beforeAll(async () => {
    server = createServer((request, response) => {
      const path = request.url ?? ''
      standIn.asked.push({ path, headers: request.headers })
      const answer = standIn.answers[path]
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer ?? { message: 'Not Found' }))
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    standIn.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  beforeEach(() => {
    standIn.answers = {}
    standIn.asked = []
  })
  afterAll(() => new Promise(resolve => server.close(resolve)))
  return standIn
}

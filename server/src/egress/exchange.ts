// One request and the head of its answer, over a connection that is proven already. HTTP/1.1 by Node's own client, which
// refuses two lengths, bad line ends and too many headers.
import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { EgressError } from './egress-error.ts'

const MOST_HEADER_BYTES = 16 * 1024

export interface HttpRequest {
  method: string
  path: string
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array | undefined
}

/** The body of the answer is still to be read. The connection belongs to the answer and goes with it. */
export function sendRequest(socket: Socket, httpRequest: HttpRequest): Promise<IncomingMessage> {
  const { method, path, body } = httpRequest
  return new Promise((resolve, reject) => {
    const sent = request({
      method,
      path,
      headers: { ...httpRequest.headers, ...buildLengthHeader(httpRequest), connection: 'close' },
      createConnection: () => socket,
      setHost: false,
      maxHeaderSize: MOST_HEADER_BYTES,
      insecureHTTPParser: false,
    })
    let is_answered = false
    const fail = (error?: unknown) => {
      // From here on it is the answer that breaks, and whoever reads it hears of it.
      if (is_answered) return
      socket.destroy()
      reject(new EgressError('broken', error))
    }
    sent.on('response', answer => {
      is_answered = true
      resolve(answer)
    })
    sent.on('error', fail)
    // Also how an answer that wants to switch protocols ends, and one that is no answer at all.
    sent.on('close', () => fail())
    sent.end(body)
  })
}

export function isRedirect(status: number): boolean {
  return [300, 301, 302, 303, 305, 306, 307, 308].includes(status)
}

/** The name as it was judged: without a final dot, and with the port where it is not the usual one. */
export function formatHostHeader(host: string, port: number, usual_port: number): string {
  const name = host.includes(':') ? `[${host}]` : host
  return port === usual_port ? name : `${name}:${port}`
}

function buildLengthHeader({ method, body }: HttpRequest): Record<string, string> {
  if (body === undefined && (method === 'GET' || method === 'HEAD')) return {}
  return { 'content-length': String(body === undefined ? 0 : Buffer.byteLength(body)) }
}

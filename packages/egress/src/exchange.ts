// Sends one request over a verified connection and reads the head of the response. Uses Node's HTTP/1.1 client, which
// rejects duplicate lengths, bad line endings and too many headers.
import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { EgressError } from './egress-error.ts'

const MAX_HEADER_BYTES = 16 * 1024

export interface HttpRequest {
  method: string
  path: string
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array | undefined
}

/** The caller reads the body. The connection belongs to the response and closes with it. */
export function sendRequest(socket: Socket, httpRequest: HttpRequest): Promise<IncomingMessage> {
  const { method, path, body } = httpRequest
  return new Promise((resolve, reject) => {
    const sent = request({
      method,
      path,
      headers: { ...httpRequest.headers, ...buildLengthHeader(httpRequest), connection: 'close' },
      createConnection: () => socket,
      setHost: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
    })
    let has_response = false
    const fail = (error?: unknown) => {
      // From here on, the reader of the response receives the error.
      if (has_response) return
      socket.destroy()
      reject(new EgressError('broken', error))
    }
    sent.on('response', response => {
      has_response = true
      resolve(response)
    })
    sent.on('error', fail)
    // Also handles a response that switches protocols or is not HTTP.
    sent.on('close', () => fail())
    sent.end(body)
  })
}

export function isRedirect(status: number): boolean {
  return [300, 301, 302, 303, 305, 306, 307, 308].includes(status)
}

/** The name as it was checked, without a final dot, and with the port unless it is the default. */
export function formatHostHeader(host: string, port: number, default_port: number): string {
  const name = host.includes(':') ? `[${host}]` : host
  return port === default_port ? name : `${name}:${port}`
}

function buildLengthHeader({ method, body }: HttpRequest): Record<string, string> {
  if (body === undefined && (method === 'GET' || method === 'HEAD')) return {}
  return { 'content-length': String(body === undefined ? 0 : Buffer.byteLength(body)) }
}

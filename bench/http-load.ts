// A load generator with little overhead, because it shares the machine with the service: keep-alive connections on bare
// sockets, each of which sends a request when the previous response has arrived. It only understands our own server.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const HEAD_END = Buffer.from('\r\n\r\n')
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)\r\n/i

export interface Load {
  port: number
  clients: number
  /** The complete next request: head and body. */
  next(): string
  /** The expected status of every response: a benchmark of errors would look fast. */
  status: number
  duration_ms: number
}

export interface Rate {
  requests: number
  per_second: number
}

export interface LoadResult extends Rate {
  /** Of a hundred responses, 99 took at most this long. */
  p99_ms: number
}

export async function runLoad(load: Load): Promise<LoadResult> {
  const sockets = await Promise.all(Array.from({ length: load.clients }, () => open(load.port)))
  const started_ms = performance.now()
  const taken = await Promise.all(
    sockets.map(socket => sendRequests(socket, load, started_ms + load.duration_ms)),
  )
  const seconds = (performance.now() - started_ms) / 1000
  for (const socket of sockets) socket.destroy()
  const times_ms = Float64Array.from(taken.flat()).sort()
  const requests = times_ms.length
  const p99_ms = times_ms[Math.floor(requests * 0.99)] ?? Number.NaN
  return { requests, per_second: requests / seconds, p99_ms }
}

export function formatRequest(method: string, path: string, key: string | undefined, body: string): string {
  const lines = [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1', 'accept: application/json']
  if (key !== undefined) lines.push(`authorization: Bearer ${key}`)
  if (body !== '') lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(body)}`)
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  return socket
}

/** Returns how long each response took. */
function sendRequests(socket: Socket, { next, status }: Load, until_ms: number): Promise<number[]> {
  const expected = Buffer.from(`HTTP/1.1 ${status} `)
  return new Promise((resolve, reject) => {
    const times_ms: number[] = []
    let sent_ms = performance.now()
    let received: Buffer = Buffer.alloc(0)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('The server closed a connection')))
    socket.on('data', chunk => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      if (!isComplete(received)) return
      if (!received.subarray(0, expected.length).equals(expected)) {
        reject(new Error(`Unexpected response:\n${received.toString('utf8', 0, 2_000)}`))
        return
      }
      received = Buffer.alloc(0)
      const now_ms = performance.now()
      times_ms.push(now_ms - sent_ms)
      if (now_ms >= until_ms) return resolve(times_ms)
      sent_ms = now_ms
      socket.write(next())
    })
    socket.write(next())
  })
}

function isComplete(received: Buffer): boolean {
  const head_length = received.indexOf(HEAD_END)
  if (head_length < 0) return false
  const length = CONTENT_LENGTH.exec(received.toString('latin1', 0, head_length + 2))?.[1]
  if (length === undefined) throw new Error('A response has no content-length')
  return received.length >= head_length + HEAD_END.length + Number(length)
}

// Receivers on this host that misbehave on purpose: one that must never be connected to, and others that
// handle a connection as the test defines.
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls'
import type { Certificate } from './tls.ts'

export interface Receiver {
  port: number
  connections: number
  /** Everything it received, decrypted if it uses TLS. */
  received: string
  /** How many connections are open now. */
  open(): Promise<number>
  stop(): Promise<void>
}

export interface ReceiverOptions {
  address?: string
  port?: number
  onConnection?: (socket: Socket) => void
  /** Before a TLS handshake. */
  onTcpConnection?: (socket: Socket) => void
}

/** Without TLS. */
export function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  return start(createServer(), 'connection', options)
}

/** Handles a connection after the TLS handshake. */
export function startTlsReceiver(
  certificate: Certificate,
  options: ReceiverOptions & { tls?: TlsOptions } = {},
): Promise<Receiver> {
  return start(createTlsServer({ ...certificate, ...options.tls }), 'secureConnection', options)
}

async function start(server: Server, event: string, options: ReceiverOptions): Promise<Receiver> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    receiver.connections += 1
    sockets.add(socket)
    options.onTcpConnection?.(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on(event, (socket: Socket | TLSSocket) => {
    socket.on('error', () => undefined)
    socket.on('data', chunk => {
      receiver.received += chunk.toString('latin1')
    })
    options.onConnection?.(socket)
  })
  server.on('tlsClientError', () => undefined)
  await new Promise<void>(resolve =>
    server.listen(options.port ?? 0, options.address ?? '127.0.0.1', resolve),
  )
  const receiver: Receiver = {
    port: (server.address() as AddressInfo).port,
    connections: 0,
    received: '',
    open: () => Promise.resolve(sockets.size),
    stop: () =>
      new Promise(resolve => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
  return receiver
}

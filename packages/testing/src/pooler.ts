// A connection pooler in transaction mode, for tests: a client has a server connection only for the length of
// a transaction, startup parameters that a pooler cannot keep are refused, and prepared statements belong to
// clients, whichever server connection they get. Modeled on what PgBouncer 1.21 documents. It checks no
// passwords.
import net from 'node:net'
import { makeFrameReader, readName, writeMessage } from './pooler-frames.ts'
import { type Backend, type Client, makeClient, sendToBackend } from './pooler-statements.ts'

const SSL_REQUEST = 80_877_103
const GSS_REQUEST = 80_877_104
const CANCEL_REQUEST = 80_877_102
const ALLOWED = new Set([
  'user',
  'database',
  'application_name',
  'client_encoding',
  'DateStyle',
  'TimeZone',
  'standard_conforming_strings',
])

export interface PoolerOptions {
  /** Server connections for each pair of user and database. */
  size: number
  /** Returns the socket of a session that is logged in and idle. */
  connectServer(user: string, database: string): Promise<net.Socket>
}

export interface Pooler {
  port: number
  /** Server connections opened and transactions served since the start; the highest number open at once. */
  counts: { opened: number; transactions: number; most: number }
  stop(): Promise<void>
}

interface Pool {
  connect(): Promise<net.Socket>
  idle: Backend[]
  opened: number
  waiting: Client[]
}

export async function startPooler({ size, connectServer }: PoolerOptions): Promise<Pooler> {
  const counts = { opened: 0, transactions: 0, most: 0 }
  const sockets = new Set<net.Socket>()

  const release = (pool: Pool, backend: Backend) => {
    counts.transactions += 1
    backend.client = undefined
    const next = pool.waiting.shift()
    if (next) link(next, backend)
    else pool.idle.push(backend)
  }
  const link = (client: Client, backend: Backend) => {
    backend.client = client
    client.backend = backend
    const held = client.held.splice(0)
    for (const message of held) sendToBackend(client, backend, message)
  }
  const open = async (pool: Pool) => {
    pool.opened += 1
    counts.opened += 1
    counts.most = Math.max(counts.most, pool.opened)
    const socket = await pool.connect()
    sockets.add(socket)
    const backend: Backend = {
      socket,
      prepared: new Set(),
      expected: [],
      has_failed: false,
      client: undefined,
    }
    const read = makeFrameReader((type, body) => {
      const isIdle = backend.onMessage?.(type, body) ?? false
      if (isIdle) release(pool, backend)
    })
    socket.on('data', read)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      pool.opened -= 1
      pool.idle = pool.idle.filter(other => other !== backend)
      backend.client?.socket.destroy()
    })
    release(pool, backend)
  }
  const accept = (client: Client, pool: Pool, message: Buffer) => {
    if (client.backend?.client === client) return sendToBackend(client, client.backend, message)
    client.held.push(message)
    if (pool.waiting.includes(client)) return
    const backend = pool.idle.pop()
    if (backend) return link(client, backend)
    pool.waiting.push(client)
    if (pool.opened < size) open(pool).catch(() => client.socket.destroy())
  }
  const findPool = makePools(connectServer)
  const server = net.createServer(socket => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    welcome(socket, findPool, accept)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as net.AddressInfo).port,
    counts,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function makePools(connectServer: PoolerOptions['connectServer']) {
  const pools = new Map<string, Pool>()
  return (user: string, database: string): Pool => {
    const key = `${user}/${database}`
    const known = pools.get(key)
    if (known) return known
    const pool = { connect: () => connectServer(user, database), idle: [], opened: 0, waiting: [] }
    pools.set(key, pool)
    return pool
  }
}

/**
 * The handshake before the first statement: no encryption, no password, and only parameters that a pooler can
 * keep.
 */
function welcome(
  socket: net.Socket,
  findPool: (user: string, database: string) => Pool,
  accept: (client: Client, pool: Pool, message: Buffer) => void,
): void {
  const client = makeClient(socket)
  let pool: Pool | undefined
  const readFrames = makeFrameReader((type, body) => {
    if (pool && type !== 'X') accept(client, pool, writeMessage(type, body))
  })
  let pending = Buffer.alloc(0)
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    if (pool) pool.waiting = pool.waiting.filter(other => other !== client)
    // Its transaction may still be open, and nobody else may continue it.
    if (client.backend?.client === client) client.backend.socket.destroy()
  })
  socket.on('data', data => {
    if (pool) return readFrames(data)
    pending = Buffer.concat([pending, data])
    while (!pool && pending.length >= 8 && pending.length >= pending.readInt32BE(0)) {
      const message = pending.subarray(0, pending.readInt32BE(0))
      pending = pending.subarray(message.length)
      const code = message.readInt32BE(4)
      if (code === SSL_REQUEST || code === GSS_REQUEST) socket.write('N')
      else if (code === CANCEL_REQUEST) socket.destroy()
      else pool = logIn(socket, readParameters(message), findPool)
    }
    if (pool && pending.length > 0) readFrames(pending)
  })
}

function logIn(
  socket: net.Socket,
  parameters: Map<string, string>,
  findPool: (user: string, database: string) => Pool,
): Pool | undefined {
  for (const name of parameters.keys()) {
    if (ALLOWED.has(name)) continue
    const fields = `SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: ${name}\0\0`
    socket.end(writeMessage('E', Buffer.from(fields)))
    return undefined
  }
  const user = parameters.get('user') ?? ''
  socket.write(writeMessage('R', Buffer.alloc(4)))
  socket.write(writeMessage('S', Buffer.from('client_encoding\0UTF8\0')))
  socket.write(writeMessage('K', Buffer.alloc(8)))
  socket.write(writeMessage('Z', Buffer.from('I')))
  return findPool(user, parameters.get('database') ?? user)
}

function readParameters(message: Buffer): Map<string, string> {
  const parameters = new Map<string, string>()
  for (let at = 8; message[at] !== 0; ) {
    const [name, after_name] = readName(message, at)
    const [value, after_value] = readName(message, after_name)
    parameters.set(name, value)
    at = after_value
  }
  return parameters
}

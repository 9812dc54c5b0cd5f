// A proxy in front of PostgreSQL that fails at one statement, to test what a fault leaves behind. To the
// server, a closed connection looks the same as a killed client.
import net from 'node:net'
import { makeFrameReader, writeMessage } from './pooler-frames.ts'

export const FAULTS = ['cut', 'unanswered', 'refused'] as const

/**
 * `cut`: the connection ends before the statement reaches the server. `unanswered`: the server executes
 * everything that was sent with it, and the connection ends before the response. `refused`: the server
 * refuses the statement.
 */
type Fault = (typeof FAULTS)[number]

export interface FaultProxy {
  port: number
  /** Plants one fault at a statement, counted from now on over all connections. */
  plant(fault: Fault, statement: number): void
  /** Removes the planted fault. Returns whether it has happened. */
  remove(): boolean
  stop(): Promise<void>
}

interface Plan {
  fault: Fault
  /** How many statements to let pass before it. */
  left: number
}

export async function startFaultProxy(target: { host: string; port: number }): Promise<FaultProxy> {
  const sockets = new Set<net.Socket>()
  let plan: Plan | undefined
  let has_happened = false
  const takeFault = (): Fault | undefined => {
    if (!plan || plan.left-- > 0) return undefined
    const { fault } = plan
    plan = undefined
    has_happened = true
    return fault
  }
  const server = net.createServer({ noDelay: true }, client => {
    const database = connect(target)
    for (const socket of [client, database]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => sockets.delete(socket))
    }
    client.on('close', () => database.end())
    database.on('close', () => client.destroy())
    relay(client, database, takeFault)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as net.AddressInfo).port,
    plant: (fault, statement) => {
      plan = { fault, left: statement }
      has_happened = false
    },
    remove: () => {
      plan = undefined
      return has_happened
    },
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** As in client settings, a host may be the folder of a socket. */
function connect({ host, port }: { host: string; port: number }): net.Socket {
  return host.startsWith('/') ? net.connect(`${host}/.s.PGSQL.${port}`) : net.connect(port, host)
}

function relay(client: net.Socket, database: net.Socket, takeFault: () => Fault | undefined): void {
  /** The responses that the client waits for; the first is the end of the login. */
  let awaited = 1
  let state: 'open' | 'silent' | 'ended' = 'open'
  const toDatabase = makeFrameReader((type, body) => {
    if (state === 'ended') return
    const fault = type === 'E' ? takeFault() : undefined
    if (fault === 'cut') {
      state = 'ended'
      // Everything sent before it is still executed.
      database.end()
      client.destroy()
      return
    }
    if (fault === 'unanswered') state = 'silent'
    if (type === 'S' || type === 'Q') awaited += 1
    database.write(writeMessage(type, fault === 'refused' ? NO_SUCH_PORTAL : body))
  })
  const toClient = makeFrameReader((type, body) => {
    if (type === 'Z') awaited -= 1
    if (state === 'open') client.write(writeMessage(type, body))
    else if (type === 'Z' && awaited === 0) client.destroy()
  })
  let startup: Buffer | undefined = Buffer.alloc(0)
  client.on('data', data => {
    if (!startup) return toDatabase(data)
    // The first message has no type.
    startup = Buffer.concat([startup, data])
    if (startup.length < 4 || startup.length < startup.readInt32BE(0)) return
    const rest = startup.subarray(startup.readInt32BE(0))
    database.write(startup.subarray(0, startup.readInt32BE(0)))
    startup = undefined
    toDatabase(rest)
  })
  database.on('data', toClient)
}

const NO_SUCH_PORTAL = Buffer.from('planted\0\0\0\0\0')

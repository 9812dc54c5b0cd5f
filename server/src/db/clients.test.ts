// A connection that PostgreSQL ends at once, as it ends all of them when it stops: its last message may arrive
// together with the one that accepts the connection.
import net from 'node:net'
import { makeFrameReader, writeMessage } from '@waybill/testing/pooler-frames'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { listenForCallerChanges } from './caller-changes.ts'
import { connectClient } from './clients.ts'
import { connectDatabase } from './database.ts'

const READY = 'Z'
const ENDED = 'terminating connection due to administrator command'
const LAST_MESSAGE = writeMessage('E', Buffer.from(`SFATAL\0VFATAL\0C57P01\0M${ENDED}\0\0`))

let proxy: net.Server
/** How many of the next connections end as soon as they are accepted. */
let to_end = 0
const uncaught: unknown[] = []

beforeAll(async () => {
  process.on('uncaughtExceptionMonitor', noteUncaught)
  proxy = net.createServer(passOn).listen(0, '127.0.0.1')
  await new Promise(resolve => proxy.once('listening', resolve))
})
afterAll(() => {
  process.off('uncaughtExceptionMonitor', noteUncaught)
  proxy.close()
})

function noteUncaught(error: unknown): void {
  uncaught.push(error)
}

function passOn(client: net.Socket): void {
  const { host, port } = inject('cluster')
  const server = net.connect(`${host}/.s.PGSQL.${port}`)
  for (const socket of [client, server]) socket.on('error', () => undefined)
  client.pipe(server)
  let is_last = false
  const read = makeFrameReader(type => {
    is_last = type === READY && to_end > 0
  })
  server.on('data', data => {
    read(data)
    if (!is_last) return client.write(data)
    to_end -= 1
    server.destroy()
    client.end(Buffer.concat([data, LAST_MESSAGE]))
  })
  server.on('end', () => client.end())
}

function getAddress() {
  const { port } = proxy.address() as net.AddressInfo
  return { ...inject('cluster'), host: '127.0.0.1', port }
}

const connect = () => connectClient(getAddress())

describe('a connection that is ended when it was accepted', () => {
  it('fails the next statement, and nothing else', async () => {
    to_end = 1
    const client = await connect()
    await expect(client.query('select 1')).rejects.toThrow()
    await client.end()
    expect(uncaught).toEqual([])
  })

  it('fails the next statement of the pool, and nothing else', async () => {
    const database = connectDatabase(getAddress(), () => undefined)
    to_end = 1
    await expect(database.getCurrentRole()).rejects.toThrow()
    await database.close()
    expect([to_end, uncaught]).toEqual([0, []])
  })

  it('is replaced by the listener for changes', async () => {
    to_end = 2
    const lost: unknown[] = []
    await new Promise<void>(resolve => {
      const listener = listenForCallerChanges({
        connect,
        onChange: () => undefined,
        onConnected: () => listener.stop().then(resolve),
        onLost: error => lost.push(error),
      })
    })
    expect([to_end, lost.length, uncaught]).toEqual([0, 1, []])
  })
})

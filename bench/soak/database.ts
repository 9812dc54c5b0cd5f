// The database of a soak: a primary, a standby that takes over from it, and an address that always reaches the
// primary, as with a proxy or a floating address.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@waybill/embedded-postgres'
import { copyAsStandby } from '@waybill/testing/standby'
import pg from 'pg'
import { EMBEDDED_NAME } from '../../server/src/db/open.ts'

const LOGIN = { name: EMBEDDED_NAME, password: 'owner-of-the-soak' }
const SETTINGS = { wal_level: 'replica', max_wal_senders: '4', hot_standby: 'on' }
const SOCKET = '.s.PGSQL.5432'

export interface SoakDatabase {
  /** For the members of the fleet. */
  url: string
  /** The current primary. */
  getPrimary(): EmbeddedPostgres
  /** Stops the primary, and promotes a standby that has every acknowledged commit. */
  failOver(): Promise<void>
  /** On a separate connection, because faults break connections. */
  query(text: string): Promise<pg.QueryResult>
  stop(): Promise<void>
}

export async function startDatabase(folder: string): Promise<SoakDatabase> {
  let primary = await startServer(mkdtempSync(join(folder, 'primary-')))
  const relay = await startRelay(join(folder, SOCKET), () => primary.server.address.host)
  const { user, password, database } = primary.server.address
  const query = (text: string) => runQuery(primary.server, text)
  return {
    url: `postgres://${user}:${password}@/${database}?host=${folder}&port=5432`,
    getPrimary: () => primary.server,
    query,
    failOver: async () => {
      const standby = await startStandby(folder, primary)
      await query("alter system set synchronous_standby_names = '*'")
      await query('select pg_reload_conf()')
      await untilTrue(query, "select from pg_stat_replication where sync_state = 'sync'")
      relay.close()
      const pid = primary.server.pid()
      if (pid !== undefined) process.kill(pid, 'SIGQUIT')
      await primary.server.stop()
      rmSync(primary.data_dir, { recursive: true, force: true })
      primary = standby
      await query('select pg_promote()')
      relay.open()
    },
    stop: async () => {
      await relay.stop()
      await primary.server.stop()
    },
  }
}

interface Server {
  data_dir: string
  server: EmbeddedPostgres
}

async function startServer(data_dir: string): Promise<Server> {
  return { data_dir, server: await startEmbeddedPostgres({ data_dir, ...LOGIN, settings: SETTINGS }) }
}

async function startStandby(folder: string, primary: Server): Promise<Server> {
  const data_dir = mkdtempSync(join(folder, 'standby-'))
  const client = await connect(primary.server)
  try {
    const folders = { from: join(primary.data_dir, 'postgres'), to: join(data_dir, 'postgres') }
    await copyAsStandby(client, primary.server.address, folders)
  } finally {
    await client.end().catch(() => undefined)
  }
  return startServer(data_dir)
}

async function untilTrue(query: SoakDatabase['query'], text: string): Promise<void> {
  while ((await query(text)).rowCount === 0) await sleep(50)
}

/** Passes connections on to the socket of the current primary. */
async function startRelay(path: string, getFolder: () => string) {
  const sockets = new Set<net.Socket>()
  let isOpen = true
  const server = net.createServer(inbound => {
    if (!isOpen) {
      inbound.destroy()
      return
    }
    const outbound = net.connect(join(getFolder(), SOCKET))
    for (const [one, other] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      sockets.add(one)
      one.on('error', () => undefined)
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  server.listen(path)
  await once(server, 'listening')
  const close = () => {
    isOpen = false
    for (const socket of sockets) socket.destroy()
  }
  return {
    close,
    open: () => {
      isOpen = true
    },
    stop: async () => {
      close()
      server.close()
      await once(server, 'close')
    },
  }
}

async function connect({ address }: EmbeddedPostgres): Promise<pg.Client> {
  const client = new pg.Client(address)
  client.on('error', () => undefined)
  await client.connect()
  return client
}

async function runQuery(server: EmbeddedPostgres, text: string): Promise<pg.QueryResult> {
  const client = await connect(server)
  try {
    return await client.query(text)
  } finally {
    await client.end().catch(() => undefined)
  }
}

// A primary and its streaming replica, both real: the replica starts as a copy of the primary's files.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@waybill/embedded-postgres'
import { copyAsStandby } from '@waybill/testing/standby'
import pg from 'pg'
import { addCleanUp } from './clean-ups.ts'
import { makeScratchFolder } from './service.ts'

const LOGIN = { name: 'waybill', password: 'owner-password' }
const SETTINGS = { wal_level: 'replica', max_wal_senders: '4', hot_standby: 'on', autovacuum: 'off' }

export interface Replicated {
  primary_url: string
  replica_url: string
  primary: pg.Client
  replica: pg.Client
  stopReplica(): Promise<void>
}

export async function startReplicated(): Promise<Replicated> {
  const [primary_dir, replica_dir] = [makeScratchFolder(), makeScratchFolder()]
  const first = await start(primary_dir)
  const primary = await connect(first)
  const folders = { from: join(primary_dir, 'postgres'), to: join(replica_dir, 'postgres') }
  await copyAsStandby(primary, first.address, folders)
  const second = await start(replica_dir)
  return {
    primary_url: buildUrl(first),
    replica_url: buildUrl(second),
    primary,
    replica: await connect(second),
    stopReplica: second.stop,
  }
}

async function start(data_dir: string): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ data_dir, ...LOGIN, settings: SETTINGS })
  addCleanUp(async () => {
    await server.stop()
    rmSync(data_dir, { recursive: true, force: true })
  })
  return server
}

async function connect({ address }: EmbeddedPostgres): Promise<pg.Client> {
  const client = new pg.Client({ ...address })
  client.on('error', () => undefined)
  await client.connect()
  addCleanUp(() => client.end().catch(() => undefined))
  return client
}

function buildUrl({ address: { host, port, user, password, database } }: EmbeddedPostgres): string {
  return `postgres://${user}:${password}@/${database}?host=${host}&port=${port}`
}

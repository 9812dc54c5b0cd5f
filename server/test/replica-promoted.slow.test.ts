// A promoted replica: it accepts its own writes, so it must not be read, and nothing may be written to it.
import { beforeAll, expect, it } from 'vitest'
import type { Database, Db, Step } from '../src/db/database.ts'
import { openExternalCluster } from '../src/db/external.ts'
import { defineStatement, text } from '../src/db/statement.ts'
import { PATIENCE_MS, until } from './patience.ts'
import { type Replicated, startReplicated } from './replica.ts'
import { addCleanUp, makeDataDirectory, type Service, startService } from './service.ts'

let databases: Replicated
let service: Service
beforeAll(async () => {
  databases = await startReplicated()
  const { primary_url, replica_url } = databases
  service = await startService({
    data_dir: makeDataDirectory(),
    env: { DATABASE_URL: primary_url, DATABASE_REPLICA_URL: replica_url },
  })
  await create('of-the-primary')
  await until(async () => {
    await list()
    return (await countReads('replica')) > 0
  })
  await databases.replica.query(`select pg_promote(true, ${PATIENCE_MS / 1000})`)
})

it('is no longer read, and the service reports why', async () => {
  await databases.replica.query("update flows set name = 'of-the-promoted'")
  const [before, from_replica] = [await countReads('failed'), await countReads('replica')]
  await until(async () => {
    const flows = await list()
    expect(flows).toContain('"of-the-primary"')
    expect(flows).not.toContain('"of-the-promoted"')
    return (await countReads('failed')) > before
  })
  expect(await countReads('replica')).toBe(from_replica)
  expect((await service.call('GET', '/ready')).text).toBe(
    'OK\nwarning: the server of DATABASE_REPLICA_URL is no replica',
  )
})

it('accepts no writes from the service', async () => {
  const { primary_url, replica_url } = databases
  const cluster = openExternalCluster({ database_url: primary_url, replica_url }, { max: 1 })
  const replica = cluster.connectReplica?.(() => undefined) as Database
  addCleanUp(() => replica.close())
  const { rows } = await databases.replica.query("select org_id from orgs where name = 'demo-org'")
  const scope = { org_id: rows[0].org_id as string }
  const rename = defineStatement('tests.rename', { name: text }, {}, 'update flows set name = :name')
  const step: Step = { name: rename.name, text: rename.text, values: ['written'] }
  const params = { name: 'written' }
  const writes = [
    () => replica.runOnce(scope, rename, params),
    () => replica.read(scope, rename, params),
    () => replica.runBatch(scope, [step]),
    () => replica.runPipeline(scope, { reads: [step], decide: () => ({ writes: [], outcome: 1 }) }),
    () => replica.runPipeline(scope, { reads: [], decide: () => ({ writes: [step], outcome: 1 }) }),
    () => replica.withTransaction(scope, (tx: Db) => tx.run(rename, params)),
  ]
  for (const write of writes) expect(await readRefusal(write)).toBe('25006')
  const names = await databases.replica.query('select distinct name from flows')
  expect(names.rows).toEqual([{ name: 'of-the-promoted' }])
})

/**
 * The code of the refusal. The service waits only briefly for a connection to a replica, too briefly on a busy
 * machine.
 */
async function readRefusal(write: () => Promise<unknown>): Promise<unknown> {
  let refusal: unknown
  await until(async () => {
    refusal = await write().then(
      () => 'written',
      error => error.code ?? error.message,
    )
    return refusal !== 'timeout exceeded when trying to connect'
  })
  return refusal
}

async function create(name: string): Promise<void> {
  const body = { name, description: '' }
  const { status } = await service.call('PUT', '/api/v2/flows/demo-org', { key: service.key, body })
  expect(status).toBe(201)
}

async function list(): Promise<string> {
  const { status, text } = await service.call('GET', '/api/v2/flows/demo-org', { key: service.key })
  expect(status).toBe(200)
  return text
}

async function countReads(outcome: string): Promise<number> {
  const { text } = await service.call('GET', '/metrics')
  return Number(
    new RegExp(`^waybill_replica_reads_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(text)?.[1],
  )
}

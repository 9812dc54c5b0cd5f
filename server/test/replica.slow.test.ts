// Lists are read from a streaming replica, and never miss a write: neither while the replica is paused, nor when it
// is gone.
import { beforeAll, expect, it } from 'vitest'
import { until } from './patience.ts'
import { type Replicated, startReplicated } from './replica.ts'
import { makeDataDirectory, type Service, startService } from './service.ts'

let databases: Replicated
let service: Service
beforeAll(async () => {
  databases = await startReplicated()
  service = await startService({
    data_dir: makeDataDirectory(),
    env: { DATABASE_URL: databases.primary_url, DATABASE_REPLICA_URL: databases.replica_url },
  })
})

it('reads lists from the replica', async () => {
  let created = 0
  await until(async () => {
    await create(`flow-${created++}`)
    await list()
    return (await countReads('replica')) > 0
  })
  const { rows } = await databases.replica.query(
    "select from pg_stat_activity where application_name = 'waybill-replica'",
  )
  expect(rows.length).toBeGreaterThan(0)
  expect(await databases.replica.query('select pg_is_in_recovery() as is_replica')).toMatchObject({
    rows: [{ is_replica: true }],
  })
})

it('shows a write immediately', async () => {
  for (let i = 0; i < 20; i++) {
    expect(await create(`racing-${i}`)).toBe(201)
    expect(await list()).toContain(`"racing-${i}"`)
  }
})

/** The first list is read in a transaction, the second one with a single statement. */
it.each(['/flows/demo-org', '/service-accounts/demo-org'])(
  'shows a write while the replica is paused: %s',
  async path => {
    await databases.replica.query('select pg_wal_replay_pause()')
    const before = await countReads('behind')
    expect(await create('unseen', path)).toBe(201)
    await until(async () => {
      expect(await list(path)).toContain('"unseen"')
      return (await countReads('behind')) > before
    })
    expect(await readWarnings()).toEqual({ replica: 'the replica is behind the primary' })
    // A busy disk can delay its readiness for a while.
    await until(async () => (await service.call('GET', '/ready')).status === 200)
    expect((await service.call('GET', '/ready')).text).toContain('warning: the replica is behind the primary')
    const table = path.startsWith('/flows') ? 'flows' : 'service_accounts'
    const found = await databases.replica.query(`select from ${table} where name = 'unseen'`)
    expect(found.rowCount).toBe(0)
    await databases.replica.query('select pg_wal_replay_resume()')
    await until(async () => {
      await list(path)
      return (await readWarnings()) === undefined
    })
  },
)

it('reads the primary when the replica is gone, with one warning', async () => {
  await databases.stopReplica()
  expect(await create('after')).toBe(201)
  await until(async () => {
    expect(await list()).toContain('"after"')
    return (await countReads('failed')) > 0
  })
  expect(await readWarnings()).toEqual({ replica: 'the replica cannot be read' })
  await until(async () => (await service.call('GET', '/ready')).status === 200)
  expect(service.stderr().split('"reason":"the replica cannot be read"')).toHaveLength(2)
})

async function create(name: string, path = '/flows/demo-org'): Promise<number> {
  const [method, more] = path.startsWith('/flows') ? ['PUT', {}] : ['POST', { privilege: 'member' }]
  const body = { name, description: '', ...more }
  return (await service.call(method as string, `/api/v2${path}`, { key: service.key, body })).status
}

async function list(path = '/flows/demo-org'): Promise<string> {
  const { status, text } = await service.call('GET', `/api/v2${path}`, { key: service.key })
  expect(status).toBe(200)
  return text
}

async function countReads(outcome: string): Promise<number> {
  const { text } = await service.call('GET', '/metrics')
  return Number(
    new RegExp(`^waybill_replica_reads_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(text)?.[1],
  )
}

async function readWarnings(): Promise<Record<string, string> | undefined> {
  const response = await fetch(`${service.url}/ready`, { headers: { accept: 'application/json' } })
  return ((await response.json()) as { warnings?: Record<string, string> }).warnings
}

// Waybill through a connection pooler in transaction mode, on three connections: always our own pooler, and PgBouncer
// 1.21 or newer if installed.
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { describe, expect, inject, it } from 'vitest'
import { APP_PASSWORD } from './cluster.ts'
import { findPgbouncer, POOLED_CONNECTIONS, startOwnPooler, startPgbouncer } from './poolers.ts'
import { expectReadmeOutput, runReadme } from './readme.ts'
import { createDatabase, makeDataDirectory, makeScratchFolder, runProgram, startService } from './service.ts'

const OWNER = inject('cluster').user
const PASSWORDS = { [OWNER]: inject('cluster').password, waybill_app: APP_PASSWORD }
const SAFE = { NODE_ENV: 'production', WAYBILL_SECRET_KEY: 'x'.repeat(32) }

const pgbouncer = findPgbouncer()
if (pgbouncer === undefined) {
  console.error(
    'No PgBouncer 1.21 or newer is installed (PATH, PGBOUNCER_PATH), so the tests of poolers use only our own',
  )
}
const poolers = [
  { name: 'our own pooler', start: () => startOwnPooler(PASSWORDS) },
  ...(pgbouncer === undefined
    ? []
    : [{ name: 'PgBouncer', start: () => startPgbouncer(pgbouncer, PASSWORDS) }]),
]

function buildUrl(port: number, database: string, user = OWNER): string {
  return `postgres://${user}:${PASSWORDS[user]}@127.0.0.1:${port}/${database}`
}

describe.each(poolers)('through $name', ({ start }) => {
  it("the README's calls succeed, logged in as the owner", async () => {
    const { port } = await start()
    const { url, owner } = await createDatabase()
    const service = await startService({
      data_dir: makeDataDirectory(),
      env: { ...SAFE, DATABASE_URL: buildUrl(port, owner.database ?? ''), DATABASE_DIRECT_URL: url },
    })
    expectReadmeOutput(await runReadme(service.port, service.key ?? ''))
    expect((await service.call('GET', '/ready')).text).toBe('OK')
    expect(await countPooled(owner)).toBeLessThanOrEqual(POOLED_CONNECTIONS)
    expect(service.stderr()).not.toContain('"level":50')
  })

  it('racing writes of several organizations are all stored once, logged in as the application', async () => {
    const { port } = await start()
    const { url, owner } = await createDatabase()
    const database = owner.database ?? ''
    const names = ['one', 'two', 'three', 'four']
    const setup = JSON.stringify({
      users: [{ name: 'eva', email: 'eva@example.com', api_keys: [{ secret: `key-of-eva-${database}` }] }],
      orgs: names.map(name => ({ name, members: [{ user: 'eva', role: 'admin' }] })),
    })
    const admin = { data_dir: makeScratchFolder(), input: setup }
    const owned = { ...SAFE, DATABASE_URL: buildUrl(port, database, 'waybill_app'), DATABASE_OWNER_URL: url }
    expect(await runProgram(['admin', 'apply', '-'], { ...admin, env: owned })).toMatchObject({ code: 0 })

    const service = await startService({
      data_dir: makeDataDirectory(),
      env: {
        ...SAFE,
        DATABASE_URL: buildUrl(port, database, 'waybill_app'),
        DATABASE_DIRECT_URL: url.replace(`${OWNER}:${PASSWORDS[OWNER]}`, `waybill_app:${APP_PASSWORD}`),
      },
    })
    const key = `key-of-eva-${database}`
    const write = (org: string, trail: string) =>
      service.call('PUT', `/api/v2/trails/${org}/backend`, { key, body: { name: trail } })
    for (const org of names) {
      const flow = await service.call('PUT', `/api/v2/flows/${org}`, {
        key,
        body: { name: 'backend', description: '' },
      })
      expect(flow.status).toBe(201)
    }
    const trails = names.flatMap(org => Array.from({ length: 25 }, (_, i) => ({ org, trail: `trail-${i}` })))
    const begun = await Promise.all(trails.map(({ org, trail }) => write(org, trail)))
    expect(begun.map(({ status }) => status)).toEqual(trails.map(() => 201))
    const attested = await Promise.all(
      trails.map(({ org, trail }) =>
        service.call('POST', `/api/v2/attestations/${org}/backend/trail/${trail}/generic`, {
          key,
          body: { attestation_name: 'scan', is_compliant: true },
        }),
      ),
    )
    expect(attested.map(({ status }) => status)).toEqual(trails.map(() => 201))
    for (const org of names) {
      const listed = await service.call('GET', `/api/v2/trails/${org}/backend?per_page=50`, { key })
      expect(listed.text.match(/"name":"trail-\d+"/g)).toHaveLength(25)
    }
    expect((await owner.query('select from attestations')).rowCount).toBe(trails.length)
    expect(await countPooled(owner)).toBeLessThanOrEqual(POOLED_CONNECTIONS)
    expect(service.stdout()).toBe(`Waybill is ready: ${service.url}\n`)
    const check = await runProgram(['admin', 'check'], { data_dir: makeScratchFolder(), env: owned })
    expect([check.code, check.stderr]).toEqual([0, ''])
  })
})

describe('our own pooler', () => {
  it('refuses startup options, as PgBouncer does', async () => {
    const { port } = await startOwnPooler(PASSWORDS)
    const { owner } = await createDatabase()
    const connectionString = buildUrl(port, owner.database ?? '')
    const client = new pg.Client({ connectionString, options: '-c role=waybill_app' })
    await expect(client.connect()).rejects.toThrow('unsupported startup parameter: options')
  })

  it('gives a client another session after each transaction, with its prepared statements', async () => {
    const pooler = await startOwnPooler(PASSWORDS)
    const { owner } = await createDatabase()
    const connect = async () => {
      const client = new pg.Client({ connectionString: buildUrl(pooler.port, owner.database ?? '') })
      await client.connect()
      return client
    }
    const [a, b] = [await connect(), await connect()]
    const query = { name: 'backend', text: 'select pg_backend_pid() as pid, $1::text as said' }
    const ask = async (client: pg.Client, said: string) =>
      (await client.query({ ...query, values: [said] })).rows[0]
    const first = await ask(a, 'one')
    await b.query('begin')
    expect(await ask(b, 'two')).toEqual({ pid: first.pid, said: 'two' })
    const second = await ask(a, 'three')
    expect(second.said).toBe('three')
    expect(second.pid).not.toBe(first.pid)
    await expect(b.query({ name: 'wrong', text: 'select 1 / $1::int as x', values: [0] })).rejects.toThrow(
      'zero',
    )
    await b.query('rollback')
    expect((await b.query({ name: 'wrong', text: 'select 1 / $1::int as x', values: [1] })).rows).toEqual([
      { x: 1 },
    ])
    expect(pooler.counts.most).toBe(2)
    await a.end()
    await b.end()
  })
})

describe("a login without the owner's privileges", () => {
  it('serves, and explains what it needs when the schema is outdated', async () => {
    const { url, owner } = await createDatabase()
    const role = `login_${randomUUID().slice(0, 8)}`
    await owner.query(`create role ${role} login password 'secret'`)
    const app_url = url.replace(`${OWNER}:${PASSWORDS[OWNER]}`, `${role}:secret`)
    const env = { ...SAFE, PORT: '0', DATABASE_URL: app_url }
    const run = (args: string[], more: Record<string, string> = {}) =>
      runProgram(args, { data_dir: makeScratchFolder(), env: { ...env, ...more } })
    const refusal = async (args: string[]) => (await run(args)).stderr

    expect(await refusal(['serve'])).toMatch(/^The user that migrates lacks a privilege .*\n$/)
    expect(await run(['admin', 'migrate'], { DATABASE_OWNER_URL: url })).toMatchObject({
      code: 0,
      stderr: '',
    })
    expect(await refusal(['serve'])).toMatch(/^The user of DATABASE_URL cannot act as waybill_app .*\n$/)
    await owner.query(`grant waybill_app to ${role}`)
    expect(await refusal(['admin', 'check'])).toMatch(
      /^The user of DATABASE_URL does not own the schema: .*\n$/,
    )
    await owner.query("delete from schema_migrations where name = '0100_schema'")
    expect(await refusal(['serve'])).toMatch(/^The schema is not current \(0100_schema is missing\)/)
    await owner.query(`drop owned by ${role}`)
    await owner.query(`drop role ${role}`)
  })
})

async function countPooled(owner: pg.Client): Promise<number> {
  const { rows } = await owner.query(`select count(*)::int as n from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
      and application_name not in ('waybill-listener', 'waybill-admin')`)
  return rows[0].n
}

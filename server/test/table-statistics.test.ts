// Growing tables are analyzed without autovacuum, which is off in the test cluster: PostgreSQL then knows how large
// they are, and drops the plans that sessions kept.
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { analyzeGrownTables, startAnalyzing } from '../src/db/table-statistics.ts'
import { makeLog } from '../src/lib/log.ts'
import { APP_PASSWORD } from './cluster.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { until } from './patience.ts'

let app: TestApp
let org_id: string
let asApp: pg.Client
let stored = 0
beforeAll(async () => {
  app = await startTestApp()
  org_id = String((await app.sql("select org_id from orgs where name = 'acme'"))[0]?.org_id)
  const login = { user: 'waybill_app', password: APP_PASSWORD }
  asApp = new pg.Client({ ...inject('cluster'), database: app.database, ...login })
  await asApp.connect()
  await analyzeGrownTables(app.db)
})
afterAll(async () => {
  await asApp.end()
  await app.stop()
})

async function addKeys(rows: number): Promise<void> {
  await app.sql(
    `insert into idempotency_keys (org_id, caller_id, key, request_sha256, created_at)
     select $1, $1, 'key-' || n, 'x', now() from generate_series($2::int + 1, $2::int + $3::int) n`,
    [org_id, stored, rows],
  )
  stored += rows
}

async function readKnownRows(): Promise<number> {
  const [row] = await app.sql("select reltuples from pg_class where relname = 'idempotency_keys'")
  return Number(row?.reltuples)
}

describe('a table', () => {
  beforeEach(async () => {
    await app.sql('delete from idempotency_keys')
    await app.sql('vacuum idempotency_keys')
    await app.sql('analyze idempotency_keys')
    stored = 0
  })

  it('that has grown from empty is analyzed once', async () => {
    await addKeys(5_000)
    expect(await readKnownRows()).toBe(0)
    expect(await analyzeGrownTables(app.db)).toEqual(['idempotency_keys'])
    expect(await readKnownRows()).toBe(5_000)
    expect(await analyzeGrownTables(app.db)).toEqual([])
  })

  it('is analyzed again when it has grown by half, not before', async () => {
    await addKeys(10_000)
    await analyzeGrownTables(app.db)
    await addKeys(2_000)
    expect(await analyzeGrownTables(app.db)).toEqual([])
    await addKeys(8_000)
    expect(await analyzeGrownTables(app.db)).toEqual(['idempotency_keys'])
    expect(await readKnownRows()).toBe(20_000)
  })

  it('is analyzed by the loop of the service, which finds it while it runs', async () => {
    const loop = startAnalyzing({ db: app.db, log: makeLog('silent') })
    await addKeys(5_000)
    await until(async () => (await readKnownRows()) > 0)
    await loop.stop()
    expect(await readKnownRows()).toBe(5_000)
  })

  it('is analyzed again within a minute if its rows were committed just after it was analyzed', async () => {
    await app.sql('begin')
    await addKeys(5_000)
    expect(await analyzeGrownTables(app.db)).toEqual(['idempotency_keys'])
    expect(await readKnownRows()).toBe(0)
    await app.sql('commit')
    await until(async () => (await analyzeGrownTables(app.db)).includes('idempotency_keys'))
    expect(await readKnownRows()).toBe(5_000)
  })

  it('is left alone while it is vacuumed', async () => {
    await addKeys(5_000)
    await app.sql('begin; lock table idempotency_keys in share update exclusive mode')
    expect(await analyzeGrownTables(app.db)).toEqual([])
    await app.sql('rollback')
    expect(await analyzeGrownTables(app.db)).toEqual(['idempotency_keys'])
  })

  it('is left to the process that is already analyzing', async () => {
    await addKeys(5_000)
    await app.sql("begin; select pg_advisory_xact_lock(hashtext('waybill: analyze_grown_table'))")
    expect(await analyzeGrownTables(app.db)).toEqual([])
    await app.sql('rollback')
    expect(await analyzeGrownTables(app.db)).toEqual(['idempotency_keys'])
  })
})

describe('a plan that a session keeps', () => {
  it('is dropped when its table is analyzed', async () => {
    await asApp.query(`set app.org = '${org_id}'; set plan_cache_mode = force_generic_plan`)
    await asApp.query('prepare keys as select key from idempotency_keys where org_id = $1 and caller_id = $1')
    const readEstimate = async () => {
      const { rows } = await asApp.query(`explain (format json) execute keys('${org_id}')`)
      return rows[0]['QUERY PLAN'][0].Plan['Plan Rows']
    }
    await app.sql('delete from idempotency_keys')
    await app.sql('vacuum idempotency_keys')
    stored = 0
    const before = await readEstimate()
    await addKeys(5_000)
    expect(await readEstimate()).toBe(before)
    await analyzeGrownTables(app.db)
    expect(await readEstimate()).toBeGreaterThan(1_000)
  })
})

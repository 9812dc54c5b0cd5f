// The pool's session settings as PostgreSQL reports them, how often a transaction is retried, and how a time limit
// affects a connection.
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { APP_PASSWORD } from '../../test/cluster.ts'
import { startTestApp, type TestApp } from '../../test/harness.ts'
import { readConfig } from '../settings/config.ts'
import { connectDatabase, type Db, makeStep } from './database.ts'
import { startCluster } from './open.ts'
import { type Cost, defineStatement, PLANNED_ONCE, plannedEachTime, readsPage, text } from './statement.ts'
import { translateDatabaseFault } from './violations.ts'

const setting = defineStatement(
  'test.setting',
  { name: text },
  { value: text },
  'select current_setting(:name) as value',
)
const sleep = defineStatement('test.sleep', {}, { slept: text }, 'select pg_sleep(0.3)::text as slept')

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

/** Connects like the program; the application under test has longer timeouts. */
function connectAsProgram() {
  const { database } = app.owner
  const settings = { ...inject('cluster'), database, user: 'waybill_app', password: APP_PASSWORD }
  return connectDatabase(settings, () => undefined)
}

describe('a session', () => {
  it.each([
    ['TimeZone', 'UTC'],
    ['statement_timeout', '9s'],
    ['lock_timeout', '5s'],
    ['idle_in_transaction_session_timeout', '30s'],
    // Compiling a statement would take longer than running it.
    ['jit', 'off'],
  ])('has %s %s', async (name, value) => {
    const db = connectAsProgram()
    expect(await db.runOnce({}, setting, { name })).toEqual([{ value }])
    await db.close()
  })
})

describe('a transaction that expects many rows', () => {
  const LIMITS = ['statement_timeout', 'idle_in_transaction_session_timeout', 'lock_timeout']

  it.each([
    [500, ['9s', '30s', '5s']],
    [10_000, ['18s', '1min', '5s']],
    [50_000, ['54s', '3min', '5s']],
    [10_000_000, ['54s', '3min', '5s']],
  ])('of %i rows has limits of %j, which end with it', async (rows, in_force) => {
    const db = connectAsProgram()
    const readLimits = async (tx: Db) => {
      const read: string[] = []
      for (const name of LIMITS) read.push(...(await tx.run(setting, { name })).map(({ value }) => value))
      return read
    }
    const grown = await db.withTransaction({}, async tx => {
      await tx.run(setting, { name: 'jit' })
      tx.expectRows(rows)
      return readLimits(tx)
    })
    expect(grown).toEqual(in_force)
    expect(await db.withTransaction({}, readLimits)).toEqual(['9s', '30s', '5s'])
    await db.close()
  })

  it('never gets less time than before, and more only if that is worth a statement', async () => {
    const db = connectAsProgram()
    const after = await db.withTransaction({}, async tx => {
      tx.expectRows(20_000)
      tx.expectRows(10)
      tx.expectRows(20_500)
      return tx.run(setting, { name: 'statement_timeout' })
    })
    expect(after).toEqual([{ value: '27s' }])
    await db.close()
  })

  it('has the time of the setting', async () => {
    const { host, port, user, password } = inject('cluster')
    const database_url = `postgres://${user}:${password}@/${app.database}?host=${host}&port=${port}`
    const { statement_ms } = readConfig({ WAYBILL_STATEMENT_TIMEOUT: '20' })
    const source = { database_url, statement_ms, data_dir: '', createPassword: String, log: () => undefined }
    const db = (await startCluster(source)).connectApp(() => undefined)
    const read = await db.withTransaction({}, async tx => {
      const base = await tx.run(setting, { name: 'statement_timeout' })
      tx.expectRows(50_000)
      return [...base, ...(await tx.run(setting, { name: 'statement_timeout' }))]
    })
    expect(read).toEqual([{ value: '20s' }, { value: '2min' }])
    await db.close()
  })
})

describe('the plan of a statement', () => {
  const readMode = (name: string, cost: Cost) =>
    defineStatement(name, {}, { mode: text }, "select current_setting('plan_cache_mode') as mode", cost)
  const once = readMode('test.planned_once', PLANNED_ONCE)
  const eachTime = readMode('test.planned_each_time', plannedEachTime())
  const either = readMode('test.planned_either_way', readsPage)

  it('is the one that it declares, alone and at any place in a transaction', async () => {
    const db = connectAsProgram()
    expect(await db.runOnce({}, once, {})).toEqual([{ mode: 'force_generic_plan' }])
    const modes = await db.withTransaction({}, async tx => {
      const read = []
      for (const statement of [once, either, eachTime, once, once, eachTime])
        read.push(...(await tx.run(statement, {})))
      return read.map(({ mode }) => mode)
    })
    expect(modes).toEqual([
      'force_generic_plan',
      'auto',
      'force_custom_plan',
      'force_generic_plan',
      'force_generic_plan',
      'force_custom_plan',
    ])
    expect(await db.runOnce({}, either, {})).toEqual([{ mode: 'auto' }])
    await db.close()
  })

  it('is the one for its values if a statement beside it needs that', async () => {
    const db = connectAsProgram()
    const [first, second] = await db.withTransaction({}, tx =>
      tx.runSteps([makeStep(once, {}), makeStep(eachTime, {})]),
    )
    expect([first, second]).toEqual([[{ mode: 'force_custom_plan' }], [{ mode: 'force_custom_plan' }]])
    await db.close()
  })
})

describe('the pool', () => {
  it('opens at most 16 connections', async () => {
    const waiting = Array.from({ length: 40 }, () => app.db.withTransaction({}, tx => tx.run(sleep, {})))
    const countConnections = async () => {
      const [row] = await app.sql(
        `select count(*)::int as n from pg_stat_activity
         where datname = current_database() and usename = 'waybill_app'`,
      )
      return Number(row?.n)
    }
    await expect.poll(countConnections, { interval: 10 }).toBe(16)
    await Promise.all(waiting)
    expect(await countConnections()).toBe(16)
  })

  it('opens as many connections as the setting says', async () => {
    const { host, port, user, password } = inject('cluster')
    const database_url = `postgres://${user}:${password}@/${app.database}?host=${host}&port=${port}`
    const { database_pool } = readConfig({ WAYBILL_DATABASE_POOL: '2' })
    const source = { database_url, database_pool, data_dir: '', createPassword: String, log: () => undefined }
    const db = (await startCluster(source)).connectApp(() => undefined)
    await Promise.all(Array.from({ length: 8 }, () => db.runOnce({}, sleep, {})))
    expect(db.pool()).toEqual({ total: 2, idle: 2, waiting: 0 })
    expect(await db.getCurrentRole()).toMatchObject({ name: 'waybill_app', superuser: false })
    await db.close()
  })
})

describe('a transaction', () => {
  const lostRace = Object.assign(new Error('a lost race'), { code: '40001' })

  it('is tried three times when it loses a race', async () => {
    let attempts = 0
    const work = app.db.withTransaction({}, async () => {
      attempts += 1
      throw lostRace
    })
    await expect(work).rejects.toBe(lostRace)
    expect(attempts).toBe(3)
  })

  it('is not retried after a success or any other failure', async () => {
    let attempts = 0
    const second = await app.db.withTransaction({}, async () => {
      attempts += 1
      if (attempts === 1) throw lostRace
      return 'done'
    })
    expect([second, attempts]).toEqual(['done', 2])
    const bug = new Error('a bug')
    let others = 0
    const work = app.db.withTransaction({}, async () => {
      others += 1
      throw bug
    })
    await expect(work).rejects.toBe(bug)
    expect(others).toBe(1)
  })
})

describe('a time limit', () => {
  const lockOrgs = defineStatement(
    'test.lock',
    {},
    { slept: text },
    'select name as slept from orgs for no key update',
  )
  const backend = defineStatement('test.backend', {}, { pid: text }, 'select pg_backend_pid()::text as pid')
  const limit = defineStatement(
    'test.limit',
    { name: text },
    { value: text },
    `select set_config(:name, '50', true) as value`,
  )
  const endlessly = defineStatement(
    'test.endless',
    {},
    { slept: text },
    'select pg_sleep(3600)::text as slept',
  )

  it.each([
    ['statement_timeout', '57014', endlessly],
    ['lock_timeout', '55P03', lockOrgs],
  ])('%s ends the statement, is reported, and keeps the connection', async (name, code, statement) => {
    await app.owner.query('begin')
    await app.owner.query('lock table orgs in access exclusive mode')
    const db = connectAsProgram()
    try {
      const before = await db.runOnce({}, backend, {})
      const work = db.withTransaction({}, async tx => {
        await tx.run(limit, { name })
        await tx.run(statement, {})
      })
      const error = await work.catch(failed => failed)
      expect(error.code).toBe(code)
      const answer = translateDatabaseFault(error)
      expect([answer?.status, answer?.headers]).toEqual([503, { 'retry-after': '1' }])
      expect(answer?.message).toContain(name)
      expect(await db.runOnce({}, backend, {})).toEqual(before)
      expect(db.pool()).toEqual({ total: 1, idle: 1, waiting: 0 })
    } finally {
      await db.close()
      await app.owner.query('rollback')
    }
  })

  it('decides the response, also if the transaction catches the error and goes on', async () => {
    const work = app.db.withTransaction({}, async tx => {
      await tx.run(limit, { name: 'statement_timeout' })
      await tx.run(endlessly, {}).catch(() => undefined)
      return 'done'
    })
    await expect(work).rejects.toMatchObject({ code: '57014' })
  })
})

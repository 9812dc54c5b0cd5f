// The pool's session settings as PostgreSQL reports them, and how often a transaction is retried.
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { APP_PASSWORD } from '../../test/cluster.ts'
import { startTestApp, type TestApp } from '../../test/harness.ts'
import { connectDatabase } from './database.ts'
import { defineStatement, text } from './statement.ts'

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

/** Connects like the program does; the application under test has longer timeouts. */
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

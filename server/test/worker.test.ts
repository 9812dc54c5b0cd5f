// The outbox and its worker on a real database: what a transaction asked for is done once it is committed, retried by
// the schedule, and never finished by somebody who lost the lease.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../src/db/database.ts'
import { claimJobs, enqueue, finishJob, type Job, postponeJob } from '../src/delivery/outbox.ts'
import { type JobHandler, startWorker, type Worker } from '../src/delivery/worker.ts'
import { makeIds } from '../src/lib/ids.ts'
import { makeLog } from '../src/lib/log.ts'
import { type TestApp, testApp } from './harness.ts'

const SCHEDULE_S = [0, 5, 30]
const LEASE_MS = 60_000
/** Longer than the worker's pause between rounds. */
const A_ROUND_MS = 700

let app: TestApp
let org_id: string
const running: Worker[] = []
beforeAll(async () => {
  app = await testApp()
  org_id = String((await app.sql("select org_id from orgs where name = 'acme'"))[0]?.org_id)
})
afterEach(async () => {
  await Promise.all(running.splice(0).map(worker => worker.stop()))
  await app.sql('delete from outbox')
})
afterAll(() => app.stop())

describe('a job', () => {
  it('is done once, after the transaction that asked for it', async () => {
    const done: Job[] = []
    start({ greet: async job => void done.push(job) })
    const job_id = newId()
    await app.db.inTransaction({ org_id }, async tx => {
      await enqueue(tx, org_id, { job_id, kind: 'greet', payload: { to: 'you' }, now: app.clock.now() })
      await sleep(A_ROUND_MS)
      expect(done).toEqual([])
    })
    await until(() => done.length > 0)
    await sleep(2 * A_ROUND_MS)
    expect(done).toMatchObject([{ job_id, org_id, kind: 'greet', payload: { to: 'you' }, attempts: 1 }])
    expect(await row(job_id)).toMatchObject({ finished_at: app.clock.now(), last_error: null, attempts: 1 })
  })

  it('is never done when that transaction is rolled back', async () => {
    const done: Job[] = []
    start({ greet: async job => void done.push(job) })
    const rolledBack = app.db.inTransaction({ org_id }, async tx => {
      await enqueue(tx, org_id, { job_id: newId(), kind: 'greet', payload: {}, now: app.clock.now() })
      throw new Error('changed my mind')
    })
    await expect(rolledBack).rejects.toThrow('changed my mind')
    await sleep(2 * A_ROUND_MS)
    expect(done).toEqual([])
    expect(await app.sql('select * from outbox')).toEqual([])
  })

  it('is done once each by two workers that share more than one batch', async () => {
    const done: string[] = []
    const ids = await Promise.all(Array.from({ length: 50 }, () => put('greet')))
    const slowly = async ({ job_id }: Job) => {
      await sleep(20)
      done.push(job_id)
    }
    start({ greet: slowly })
    start({ greet: slowly })
    await until(() => done.length >= 50)
    await sleep(A_ROUND_MS)
    expect(done.toSorted()).toEqual(ids.toSorted())
  })

  it('is done although its transaction took the lower id and committed last', async () => {
    const done: string[] = []
    start({ greet: async job => void done.push(job.job_id) })
    const early = newId()
    let late = ''
    await app.db.inTransaction({ org_id }, async tx => {
      await enqueue(tx, org_id, { job_id: early, kind: 'greet', payload: {}, now: app.clock.now() })
      late = await put('greet')
      await until(() => done.length === 1)
    })
    expect(early < late).toBe(true)
    await until(() => done.length === 2)
    expect(done).toEqual([late, early])
  })

  it('waits, with all its attempts, for a worker that knows its kind', async () => {
    const job_id = await put('later-invention')
    const old = start({})
    await until(async () => (await row(job_id)).last_error !== null)
    expect(await row(job_id)).toMatchObject({
      last_error: 'No handler for later-invention',
      finished_at: null,
      attempts: 0,
      lease_until: null,
      due_at: new Date(app.clock.now().getTime() + LEASE_MS),
    })
    await old.stop()
    const done: Job[] = []
    start({ 'later-invention': async job => void done.push(job) })
    app.clock.advance(LEASE_MS)
    await until(() => done.length === 1)
    expect(done[0]?.attempts).toBe(1)
  })
})

describe('a job that fails', () => {
  it('is tried again by the schedule and finally recorded', async () => {
    let attempts = 0
    start({
      fail: async () => {
        attempts += 1
        throw new Error(`no luck ${attempts}`)
      },
    })
    const job_id = await put('fail')
    for (const [attempt, wait_s] of [
      [1, 5],
      [2, 30],
    ] as const) {
      await until(async () => (await row(job_id)).last_error === `no luck ${attempt}`)
      const due_at = new Date(app.clock.now().getTime() + wait_s * 1000)
      expect(await row(job_id)).toMatchObject({
        due_at,
        finished_at: null,
        lease_until: null,
        attempts: attempt,
      })
      app.clock.advance(wait_s * 1000 - 1)
      await sleep(A_ROUND_MS)
      expect(attempts).toBe(attempt)
      app.clock.advance(1)
    }
    await until(async () => (await row(job_id)).finished_at !== null)
    app.clock.advance(3600_000)
    await sleep(A_ROUND_MS)
    expect(attempts).toBe(SCHEDULE_S.length)
    expect(await row(job_id)).toMatchObject({ last_error: 'no luck 3', attempts: 3 })
  })

  it('does not hold up the others', async () => {
    const done: string[] = []
    start({ fail: () => Promise.reject(new Error('no')), greet: async job => void done.push(job.job_id) })
    await Promise.all([put('fail'), put('greet'), put('fail'), put('greet')])
    await until(() => done.length === 2)
  })
})

describe('the lease', () => {
  it('fences off a holder that was overtaken', async () => {
    const job_id = await put('greet')
    const stale = await claimOne()
    app.clock.advance(LEASE_MS - 1)
    expect(await claimAll()).toEqual([])
    app.clock.advance(2)
    const current = await claimOne()
    expect([stale.lease_no, current.lease_no]).toEqual([1, 2])
    const later = { due_at: app.clock.now(), attempts: 0, last_error: 'stale' }
    expect(await finishJob(app.db, stale, app.clock.now(), 'stale')).toBe(false)
    await postponeJob(app.db, stale, later)
    expect(await row(job_id)).toMatchObject({ finished_at: null, last_error: null, attempts: 2 })
    expect(await finishJob(app.db, current, app.clock.now(), null)).toBe(true)
    expect(await finishJob(app.db, current, app.clock.now(), 'twice')).toBe(false)
    expect(await row(job_id)).toMatchObject({ finished_at: app.clock.now(), last_error: null })
  })

  it('lets another worker take over, whose result counts', async () => {
    const job_id = await put('greet')
    let resume: () => void = () => undefined
    const paused = start({
      greet: () =>
        new Promise((_resolve, reject) => {
          resume = () => reject(new Error('of the paused worker'))
        }),
    })
    await until(async () => (await row(job_id)).lease_no === 1)
    app.clock.advance(LEASE_MS + 1)
    start({ greet: async () => undefined })
    await until(async () => (await row(job_id)).finished_at !== null)
    resume()
    await paused.stop()
    expect(await row(job_id)).toMatchObject({ last_error: null, lease_no: 2, lease_until: null })
  })
})

describe('the worker', () => {
  it('waits for the claimed job when it is stopped, and claims no other', async () => {
    let finish: () => void = () => undefined
    const worker = start({
      greet: () =>
        new Promise(resolve => {
          finish = resolve
        }),
    })
    const job_id = await put('greet')
    await until(async () => (await row(job_id)).lease_no === 1)
    let stopped = false
    const stopping = worker.stop().then(() => {
      stopped = true
    })
    const next = await put('greet')
    await sleep(A_ROUND_MS)
    expect(stopped).toBe(false)
    finish()
    await stopping
    expect(await row(job_id)).toMatchObject({ finished_at: app.clock.now(), last_error: null })
    expect(await row(next)).toMatchObject({ lease_no: 0, finished_at: null })
  })

  it('waits for it also when the bookkeeping of another job failed meanwhile', async () => {
    let finish: () => void = () => undefined
    const worker = start(
      {
        fail: () => Promise.reject(new Error('no')),
        greet: () =>
          new Promise(resolve => {
            finish = resolve
          }),
      },
      failing('outbox.postpone', 1),
    )
    const [failed, job_id] = await app.db.inTransaction({ org_id }, async tx => {
      const ids = [newId(), newId()] as const
      await enqueue(tx, org_id, { job_id: ids[0], kind: 'fail', payload: {}, now: app.clock.now() })
      await enqueue(tx, org_id, { job_id: ids[1], kind: 'greet', payload: {}, now: app.clock.now() })
      return ids
    })
    await until(async () => (await row(job_id)).lease_no === 1)
    await sleep(100)
    let stopped = false
    const stopping = worker.stop().then(() => {
      stopped = true
    })
    await sleep(A_ROUND_MS)
    expect(stopped).toBe(false)
    finish()
    await stopping
    expect((await row(job_id)).finished_at).not.toBeNull()
    // Its lease stays until it runs out, and then the job is tried again.
    expect(await row(failed)).toMatchObject({ finished_at: null, lease_no: 1 })
    expect((await row(failed)).lease_until).not.toBeNull()
  })

  it('goes on after the database was away, and is unwell only meanwhile', async () => {
    const done: string[] = []
    const worker = start({ greet: async job => void done.push(job.job_id) }, failing('outbox.claim', 3))
    expect(worker.isWell()).toBe(true)
    app.clock.advance(31_000)
    expect(worker.isWell()).toBe(false)
    const job_id = await put('greet')
    await until(() => done.length === 1)
    await until(() => worker.isWell())
    expect(done).toEqual([job_id])
  })
})

function start(handlers: Record<string, JobHandler>, db: Database = app.db): Worker {
  const worker = startWorker({
    db,
    clock: app.clock,
    log: makeLog('silent'),
    handlers,
    retry_schedule_s: SCHEDULE_S,
    onBacklog: () => undefined,
  })
  running.push(worker)
  return worker
}

/** The database, except that one statement fails its first times. */
function failing(name: string, times: number): Database {
  let left = times
  return {
    ...app.db,
    once: (scope, statement, params) => {
      if (statement.name !== name || left === 0) return app.db.once(scope, statement, params)
      left -= 1
      return Promise.reject(new Error('Connection terminated'))
    },
  }
}

const newId = () => ids.next()
const ids = makeIds({ now: () => new Date(), monotonic_ms: () => performance.now() })

async function put(kind: string): Promise<string> {
  const job_id = newId()
  const job = { job_id, kind, payload: {}, now: app.clock.now() }
  await app.db.inTransaction({ org_id }, tx => enqueue(tx, org_id, job))
  return job_id
}

function claimAll(): Promise<Job[]> {
  const now = app.clock.now()
  return claimJobs(app.db, now, new Date(now.getTime() + LEASE_MS), 10)
}

async function claimOne(): Promise<Job> {
  const [job, ...others] = await claimAll()
  expect(others).toEqual([])
  if (!job) throw new Error('nothing to claim')
  return job
}

async function row(job_id: string): Promise<Record<string, unknown>> {
  return (await app.sql('select * from outbox where job_id = $1', [job_id]))[0] ?? {}
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (await condition()) return
    await sleep(20)
  }
  throw new Error(`waited too long for: ${condition}`)
}

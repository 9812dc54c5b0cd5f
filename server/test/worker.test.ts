// The outbox and its worker on a real database: committed jobs run, are retried by the schedule, and are never
// finished by a worker that lost the lease.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { enqueue, type Job } from '../src/delivery/outbox.ts'
import { startTestApp, type TestApp } from './harness.ts'
import {
  failStatement,
  type Jobs,
  LEASE_MS,
  makeJobs,
  newId,
  SCHEDULE_S,
  type StartedWorker,
} from './jobs.ts'
import { until } from './patience.ts'

const HEARTBEAT_MS = 5_000

let app: TestApp
let jobs: Jobs
let org_id: string
beforeAll(async () => {
  app = await startTestApp()
  jobs = await makeJobs(app)
  org_id = jobs.org_id
})
afterEach(async () => {
  await jobs.stopAll()
  await app.sql('delete from outbox')
})
afterAll(() => app.stop())

describe('a job', () => {
  it('runs once, after the transaction that enqueued it', async () => {
    const done: Job[] = []
    const worker = jobs.start({ greet: async job => void done.push(job) })
    const job_id = newId()
    await app.db.withTransaction({ org_id }, async tx => {
      await enqueue(tx, org_id, { job_id, kind: 'greet', payload: { to: 'you' }, now: app.clock.now() })
      await worker.untilPolled()
      expect(done).toEqual([])
    })
    await until(async () => (await jobs.row(job_id)).finished_at !== null)
    await worker.untilPolled()
    expect(done).toMatchObject([{ job_id, org_id, kind: 'greet', payload: { to: 'you' }, attempts: 1 }])
    expect(await jobs.row(job_id)).toMatchObject({
      finished_at: app.clock.now(),
      last_error: null,
      attempts: 1,
    })
  })

  it('never runs when that transaction is rolled back', async () => {
    const done: Job[] = []
    const worker = jobs.start({ greet: async job => void done.push(job) })
    const rolledBack = app.db.withTransaction({ org_id }, async tx => {
      await enqueue(tx, org_id, { job_id: newId(), kind: 'greet', payload: {}, now: app.clock.now() })
      throw new Error('changed my mind')
    })
    await expect(rolledBack).rejects.toThrow('changed my mind')
    await worker.untilPolled()
    expect(done).toEqual([])
    expect(await app.sql('select * from outbox')).toEqual([])
  })

  it('runs once when two workers share more than one batch', async () => {
    const done: string[] = []
    const ids = await Promise.all(Array.from({ length: 50 }, () => jobs.put('greet')))
    // Each job yields a few times, so that the other worker can claim jobs too.
    const slowly = async ({ job_id }: Job) => {
      await app.sql('select 1')
      done.push(job_id)
    }
    const workers = [jobs.start({ greet: slowly }), jobs.start({ greet: slowly })]
    await until(() => done.length >= 50)
    await Promise.all(workers.map(worker => worker.untilPolled()))
    expect(done.toSorted()).toEqual(ids.toSorted())
  })

  it('runs even if its transaction took the lower id and committed last', async () => {
    const done: string[] = []
    jobs.start({ greet: async job => void done.push(job.job_id) })
    const early = newId()
    let late = ''
    await app.db.withTransaction({ org_id }, async tx => {
      await enqueue(tx, org_id, { job_id: early, kind: 'greet', payload: {}, now: app.clock.now() })
      late = await jobs.put('greet')
      await until(() => done.length === 1)
    })
    expect(early < late).toBe(true)
    await until(() => done.length === 2)
    expect(done).toEqual([late, early])
  })

  it('waits, with all its attempts, for a worker that knows its kind', async () => {
    const job_id = await jobs.put('later-invention')
    const old = jobs.start({})
    await until(async () => (await jobs.row(job_id)).last_error !== null)
    expect(await jobs.row(job_id)).toMatchObject({
      last_error: 'No handler for later-invention',
      finished_at: null,
      attempts: 0,
      lease_until: null,
      due_at: new Date(app.clock.now().getTime() + 60_000),
    })
    await old.stop()
    const done: Job[] = []
    jobs.start({ 'later-invention': async job => void done.push(job) })
    app.clock.advance(60_000)
    await until(() => done.length === 1)
    expect(done[0]?.attempts).toBe(1)
  })
})

describe('a job that fails', () => {
  it('is retried by the schedule, and its failure is recorded', async () => {
    let attempts = 0
    const worker = jobs.start({
      fail: async () => {
        attempts += 1
        throw new Error(`no luck ${attempts}`)
      },
    })
    const job_id = await jobs.put('fail')
    for (const [attempt, wait_s] of [
      [1, 5],
      [2, 30],
    ] as const) {
      await until(async () => (await jobs.row(job_id)).last_error === `no luck ${attempt}`)
      const due_at = new Date(app.clock.now().getTime() + wait_s * 1000)
      expect(await jobs.row(job_id)).toMatchObject({
        due_at,
        finished_at: null,
        lease_until: null,
        attempts: attempt,
      })
      app.clock.advance(wait_s * 1000 - 1)
      await worker.untilPolled()
      expect(attempts).toBe(attempt)
      app.clock.advance(1)
    }
    await until(async () => (await jobs.row(job_id)).finished_at !== null)
    app.clock.advance(3600_000)
    await worker.untilPolled()
    expect(attempts).toBe(SCHEDULE_S.length)
    expect(await jobs.row(job_id)).toMatchObject({ last_error: 'no luck 3', attempts: 3 })
  })

  it('does not delay the others', async () => {
    const done: string[] = []
    jobs.start({
      fail: () => Promise.reject(new Error('no')),
      greet: async job => void done.push(job.job_id),
    })
    await Promise.all([jobs.put('fail'), jobs.put('greet'), jobs.put('fail'), jobs.put('greet')])
    await until(() => done.length === 2)
  })
})

describe('the lease', () => {
  it('keeps a job from other workers until it expires', async () => {
    const job_id = await jobs.put('greet')
    const first = await jobs.claimOne()
    expect(await jobs.row(job_id)).toMatchObject({
      lease_until: new Date(app.clock.now().getTime() + LEASE_MS),
      due_at: new Date(app.clock.now().getTime() + LEASE_MS),
    })
    app.clock.advance(LEASE_MS - 1)
    expect(await jobs.claim()).toEqual([])
    app.clock.advance(1)
    const second = await jobs.claimOne()
    expect([first.lease_no, second.lease_no]).toEqual([1, 2])
    expect([first.attempts, second.attempts]).toEqual([1, 2])
  })

  it('is neither waited for nor taken twice while another worker claims the job', async () => {
    const [first, second] = await jobs.putMany('greet', 2)
    const claimed = async () => (await jobs.claim()).map(({ job_id }) => job_id)
    await app.owner.query('begin')
    try {
      await app.owner.query('select from outbox where job_id = $1 for update', [first])
      expect(await claimed()).toEqual([second])
    } finally {
      await app.owner.query('rollback')
    }
    expect(await claimed()).toEqual([first])
  })

  it('is extended while the job runs', async () => {
    const done: string[] = []
    const job_id = await jobs.put('long')
    let finish: () => void = () => undefined
    jobs.start({ long: () => new Promise<void>(resolve => (finish = resolve)) })
    await until(async () => (await jobs.row(job_id)).lease_no === 1)
    jobs.start({ long: async job => void done.push(job.job_id) })
    for (let beats = 0; beats < 6; beats++) {
      app.clock.advance(LEASE_MS / 2)
      const lease_until = app.clock.now().getTime() + LEASE_MS
      await until(async () => ((await jobs.row(job_id)).lease_until as Date).getTime() === lease_until)
    }
    finish()
    await until(async () => (await jobs.row(job_id)).finished_at !== null)
    expect(done).toEqual([])
    expect(await jobs.row(job_id)).toMatchObject({ lease_no: 1, attempts: 1, lease_until: null })
  })

  it('lets another worker take over, whose result counts', async () => {
    const job_id = await jobs.put('greet')
    let resume: () => void = () => undefined
    const paused = jobs.start(
      {
        greet: () =>
          new Promise((_resolve, reject) => {
            resume = () => reject(new Error('of the paused worker'))
          }),
      },
      { db: failStatement(app.db, 'outbox.extend', Number.POSITIVE_INFINITY) },
    )
    await until(async () => (await jobs.row(job_id)).lease_no === 1)
    app.clock.advance(LEASE_MS + 1)
    jobs.start({ greet: async () => undefined })
    await until(async () => (await jobs.row(job_id)).finished_at !== null)
    resume()
    await paused.stop()
    expect(await jobs.row(job_id)).toMatchObject({ last_error: null, lease_no: 2, lease_until: null })
  })

  it('is not regained by the worker that lost it', async () => {
    const job_id = await jobs.put('greet')
    let resume: () => void = () => undefined
    const slow = jobs.start({ greet: () => new Promise<void>(resolve => (resume = resolve)) })
    await until(async () => (await jobs.row(job_id)).lease_no === 1)
    const lease_until = new Date(app.clock.now().getTime() + LEASE_MS)
    await app.sql('update outbox set lease_no = 2')
    app.clock.advance(LEASE_MS / 2)
    await until(() => slow.sent.countOf('outbox.extend') > 0)
    await slow.untilPolled()
    expect(await jobs.row(job_id)).toMatchObject({ lease_until, due_at: lease_until })
    resume()
    await slow.stop()
    expect(await jobs.row(job_id)).toMatchObject({ finished_at: null, lease_no: 2, lease_until })
  })
})

describe('the worker', () => {
  it('waits for the claimed job when it is stopped, and claims no other', async () => {
    let finish: (() => void) | undefined
    const worker = jobs.start({
      greet: () =>
        new Promise<void>(resolve => {
          finish = resolve
        }),
    })
    const job_id = await jobs.put('greet')
    await until(() => finish !== undefined)
    let stopped = false
    const stopping = worker.stop().then(() => {
      stopped = true
    })
    const next = await jobs.put('greet')
    await untilTwoRounds(worker)
    expect(stopped).toBe(false)
    finish?.()
    await stopping
    expect(await jobs.row(job_id)).toMatchObject({ finished_at: app.clock.now(), last_error: null })
    expect(await jobs.row(next)).toMatchObject({ lease_no: 0, finished_at: null })
  })

  it('stops waiting after a while, and leaves hanging jobs to the next worker', async () => {
    const hung = jobs.start({ greet: () => new Promise<void>(() => undefined) })
    const job_id = await jobs.put('greet')
    await until(async () => (await jobs.row(job_id)).lease_no === 1)
    const stopping = hung.stop()
    app.clock.advance(LEASE_MS)
    await stopping
    const done: string[] = []
    jobs.start({ greet: async job => void done.push(job.job_id) })
    await until(() => done.length === 1)
    expect(done).toEqual([job_id])
  })

  it('also waits when recording another job failed', async () => {
    let finish: (() => void) | undefined
    const worker = jobs.start(
      {
        fail: () => Promise.reject(new Error('no')),
        greet: () =>
          new Promise<void>(resolve => {
            finish = resolve
          }),
      },
      { db: failStatement(app.db, 'outbox.settle', 1) },
    )
    const [failed, job_id] = await app.db.withTransaction({ org_id }, async tx => {
      const ids = [newId(), newId()] as const
      await enqueue(tx, org_id, { job_id: ids[0], kind: 'fail', payload: {}, now: app.clock.now() })
      await enqueue(tx, org_id, { job_id: ids[1], kind: 'greet', payload: {}, now: app.clock.now() })
      return ids
    })
    await until(() => finish !== undefined)
    await worker.untilPolled()
    let stopped = false
    const stopping = worker.stop().then(() => {
      stopped = true
    })
    await untilTwoRounds(worker)
    expect(stopped).toBe(false)
    finish?.()
    await stopping
    expect((await jobs.row(job_id)).finished_at).not.toBeNull()
    // The lease stays until it expires, and then the job is retried.
    expect(await jobs.row(failed)).toMatchObject({ finished_at: null, lease_no: 1 })
    expect((await jobs.row(failed)).lease_until).not.toBeNull()
  })

  it('continues after a database outage, and is unhealthy only during it', async () => {
    const done: string[] = []
    const worker = jobs.start(
      { greet: async job => void done.push(job.job_id) },
      { db: failStatement(app.db, 'outbox.claim', 3) },
    )
    expect(worker.isHealthy()).toBe(true)
    app.clock.advance(31_000)
    expect(worker.isHealthy()).toBe(false)
    const job_id = await jobs.put('greet')
    await until(() => done.length === 1)
    await until(() => worker.isHealthy())
    expect(done).toEqual([job_id])
  })
})

/** Leases are extended at the start of a round, so the first round is over when the second begins. */
async function untilTwoRounds(worker: StartedWorker): Promise<void> {
  for (let rounds = 0; rounds < 2; rounds++) {
    const before = worker.sent.countOf('outbox.extend')
    app.clock.advance(HEARTBEAT_MS)
    worker.wake()
    await until(() => worker.sent.countOf('outbox.extend') > before)
  }
}

// An attempt is recorded in the job, the log, the target and the configuration: in all of them or in none.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { enqueue, type Job } from '../src/delivery/outbox.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { CONFIG_TYPE, type Jobs, LEASE_MS, makeJobs, newId } from './jobs.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const OK = { error: null }
const BROKEN = { error: 'broken' }

let app: TestApp
let jobs: Jobs
let target_id: string
beforeAll(async () => {
  app = await startTestApp()
  jobs = await makeJobs(app)
})
afterEach(async () => {
  await app.sql('delete from outbox')
  await app.sql('delete from notification_configs')
})
afterAll(() => app.stop())

const now = () => app.clock.now()
const addSeconds = (seconds: number) => new Date(now().getTime() + seconds * 1000)
const claimNewDelivery = async (about = { target_id }): Promise<Job> => {
  await jobs.putDelivery(about)
  return jobs.claimOne()
}

describe('the job', () => {
  it('is finished after a success', async () => {
    const job_id = await jobs.put('greet')
    await jobs.end(await jobs.claimOne(), OK)
    expect(await jobs.row(job_id)).toMatchObject({
      finished_at: now(),
      last_error: null,
      lease_until: null,
      payload: { to: 'you' },
    })
    expect(await jobs.attempts(job_id)).toEqual([])
  })

  it('is due again on schedule after a failure, or later when the receiver asks for it', async () => {
    const job_id = await jobs.put('greet')
    await jobs.end(await jobs.claimOne(), BROKEN)
    expect(await jobs.row(job_id)).toMatchObject({
      finished_at: null,
      due_at: addSeconds(5),
      last_error: 'broken',
    })
    app.clock.advance(5000)
    await jobs.end(await jobs.claimOne(), { ...BROKEN, retry_after_s: 90 })
    expect(await jobs.row(job_id)).toMatchObject({
      finished_at: null,
      due_at: addSeconds(90),
      lease_until: null,
    })
  })

  it.each([
    ['final', { ...BROKEN, is_final: true, retry_after_s: 5 }],
    ['the end of the target', { ...BROKEN, switches_off: true }],
  ])('is finished with its first failure when that is %s', async (_what, outcome) => {
    const job_id = await jobs.put('greet')
    await jobs.end(await jobs.claimOne(), outcome)
    expect(await jobs.row(job_id)).toMatchObject({ finished_at: now(), last_error: 'broken', attempts: 1 })
  })

  it('loses its payload when it is finished, if its kind requires that, and not before', async () => {
    const job_id = await jobs.put('mail')
    const kind = { forgets_payload: true }
    await jobs.end(await jobs.claimOne(), BROKEN, kind)
    expect(await jobs.row(job_id)).toMatchObject({ payload: { to: 'you' } })
    app.clock.advance(5000)
    await jobs.end(await jobs.claimOne(), OK, kind)
    expect(await jobs.row(job_id)).toMatchObject({ payload: {} })
  })

  it('records the message of a thrown error, except for a delivery', async () => {
    const job_id = await jobs.put('greet')
    await jobs.end(await jobs.claimOne(), new Error('no\0 luck'))
    expect(await jobs.row(job_id)).toMatchObject({ last_error: 'no luck', due_at: addSeconds(5) })
    target_id = await jobs.newTarget()
    const delivery = await claimNewDelivery()
    await jobs.end(delivery, new Error('at https://hooks.example/secret'))
    expect((await jobs.row(delivery.job_id)).last_error).toBe('The message could not be prepared')
    expect((await jobs.target(target_id)).last_error).toBe('The message could not be prepared')
  })
})

describe('the log', () => {
  it('has every attempt at a delivery, with the response', async () => {
    const job = await claimNewDelivery(await addFreshTarget())
    await jobs.end(job, { error: 'The receiver answered 503', status: 503, answer: 'busy\0' })
    const failed_at = now()
    app.clock.advance(5000)
    await jobs.end(await jobs.claimOne(), { ...OK, status: 204 })
    const { org_id, job_id } = job
    const both = await jobs.attempts(job_id)
    expect(both).toMatchObject([
      {
        org_id,
        lease_no: 1,
        attempted_at: failed_at,
        error: 'The receiver answered 503',
        status: 503,
        answer: 'busy',
      },
      { org_id, lease_no: 2, attempted_at: now(), error: null, status: 204, answer: null },
    ])
    expect(both.every(({ duration_ms }) => Number(duration_ms) >= 0)).toBe(true)
  })

  it('has no entry for a message that was not attempted, and neither have target and configuration', async () => {
    const about = { ...(await addFreshTarget()), notification_type: CONFIG_TYPE }
    const job = await claimNewDelivery(about)
    await jobs.end(job, { error: 'The target was removed', is_final: true, is_untried: true })
    expect(await jobs.row(job.job_id)).toMatchObject({
      finished_at: now(),
      last_error: 'The target was removed',
    })
    expect(await jobs.attempts(job.job_id)).toEqual([])
    expect(await jobs.target(target_id)).toMatchObject({ last_failure_at: null, failing_since: null })
    expect(await jobs.config()).toBeUndefined()
  })
})

describe('the target', () => {
  it('is failing since the first failure after the last success', async () => {
    const about = await addFreshTarget()
    const first_failed_at = now()
    await jobs.end(await claimNewDelivery(about), BROKEN)
    app.clock.advance(1000)
    await jobs.end(await claimNewDelivery(about), { error: 'worse' })
    const failed = { last_failure_at: now(), last_error: 'worse' }
    expect(await jobs.target(target_id)).toMatchObject({ ...failed, failing_since: first_failed_at })
    app.clock.advance(1000)
    await jobs.end(await claimNewDelivery(about), OK)
    expect(await jobs.target(target_id)).toMatchObject({
      ...failed,
      last_success_at: now(),
      failing_since: null,
      switched_off_at: null,
    })
  })

  it('does not go backwards when results are recorded out of order', async () => {
    const about = await addFreshTarget()
    const late = [await claimNewDelivery(about), await claimNewDelivery(about), await claimNewDelivery(about)]
    const [at_0, at_1, at_2] = [now(), addSeconds(1), addSeconds(2)]
    await jobs.end(late[0] as Job, BROKEN, {}, at_1)
    await jobs.end(late[1] as Job, OK, {}, at_0)
    expect(await jobs.target(target_id)).toMatchObject({ last_success_at: at_0, failing_since: at_1 })
    await jobs.end(await claimNewDelivery(about), OK, {}, at_2)
    await jobs.end(late[2] as Job, { error: 'long ago' }, {}, at_1)
    expect(await jobs.target(target_id)).toMatchObject({ last_success_at: at_2, failing_since: null })
  })

  it('is switched off immediately when the outcome requires it, and notified once in the same transaction', async () => {
    const about = await addFreshTarget()
    const gone = { error: 'The receiver answered 410', switches_off: true }
    const notified: string[] = []
    const onSwitchedOff = async (tx: Parameters<typeof enqueue>[0], job: Job) => {
      const job_id = newId()
      notified.push(job_id)
      await enqueue(tx, job.org_id, { job_id, kind: 'tell', payload: {}, now: now() })
    }
    await jobs.end(await claimNewDelivery(about), gone, { onSwitchedOff })
    const switched_off_at = now()
    expect(await jobs.target(target_id)).toMatchObject({ switched_off_at, failing_since: switched_off_at })
    expect(notified).toHaveLength(1)
    expect(await jobs.claimOne()).toMatchObject({ job_id: notified[0], kind: 'tell' })
    app.clock.advance(1000)
    await jobs.end(await claimNewDelivery(about), gone, { onSwitchedOff })
    expect(notified).toHaveLength(1)
    expect(await jobs.target(target_id)).toMatchObject({ switched_off_at, last_failure_at: now() })
    app.clock.advance(1000)
    await jobs.end(await claimNewDelivery(about), OK, { onSwitchedOff })
    expect(await jobs.target(target_id)).toMatchObject({ switched_off_at: null, failing_since: null })
  })

  it('is not switched off, and the attempt not recorded, when the notification fails', async () => {
    const job = await claimNewDelivery(await addFreshTarget())
    const onSwitchedOff = () => Promise.reject(new Error('cannot tell'))
    const gone = { error: 'gone', switches_off: true }
    await expect(jobs.end(job, gone, { onSwitchedOff })).rejects.toThrow('cannot tell')
    expect(await jobs.target(target_id)).toMatchObject({ switched_off_at: null, last_failure_at: null })
    expect(await jobs.row(job.job_id)).toMatchObject({ finished_at: null, lease_no: 1 })
  })

  it('is switched off after five days of nothing but failures', async () => {
    const about = await addFreshTarget()
    const notified: string[] = []
    const kind = { onSwitchedOff: async (_tx: unknown, job: Job) => void notified.push(job.job_id) }
    const fail = async () => {
      const job = await claimNewDelivery(about)
      await jobs.end(job, { ...BROKEN, is_final: true }, kind)
      return job.job_id
    }
    await fail()
    app.clock.advance(5 * DAY_MS - 1)
    await fail()
    expect(await jobs.target(target_id)).toMatchObject({ switched_off_at: null })
    app.clock.advance(1)
    const last = await fail()
    expect(await jobs.target(target_id)).toMatchObject({ switched_off_at: now() })
    expect(notified).toEqual([last])
  })

  it('that was removed is not switched off', async () => {
    const about = await addFreshTarget()
    const job = await claimNewDelivery(about)
    await app.sql('update notification_targets set removed_at = $1', [now()])
    await jobs.end(job, { error: 'gone', switches_off: true })
    expect(await jobs.target(target_id)).toMatchObject({ switched_off_at: null, last_failure_at: now() })
  })
})

describe('the configuration', () => {
  it('is created when first needed, and has the latest success and the latest failure', async () => {
    const about = { ...(await addFreshTarget()), notification_type: CONFIG_TYPE }
    await jobs.end(await claimNewDelivery(about), BROKEN)
    const failed_at = now()
    expect(await jobs.config()).toMatchObject({
      last_notified_at: null,
      last_failed_at: failed_at,
      last_error: 'broken',
    })
    app.clock.advance(5000)
    await jobs.end(await jobs.claimOne(), OK)
    expect(await jobs.config()).toMatchObject({
      last_notified_at: now(),
      last_failed_at: failed_at,
      last_error: 'broken',
    })
  })

  it('includes messages to derived recipients, which have no target', async () => {
    await jobs.putDelivery({ notification_type: CONFIG_TYPE })
    await jobs.end(await jobs.claimOne(), OK)
    expect(await jobs.config()).toMatchObject({ last_notified_at: now(), last_failed_at: null })
  })

  it('does not go backwards', async () => {
    const late: Job[] = []
    for (let i = 0; i < 2; i++) {
      await jobs.putDelivery({ notification_type: CONFIG_TYPE })
      late.push(await jobs.claimOne())
    }
    const [early, later] = [now(), addSeconds(2)]
    for (const outcome of [{ error: 'latest', is_final: true }, OK]) {
      await jobs.putDelivery({ notification_type: CONFIG_TYPE })
      await jobs.end(await jobs.claimOne(), outcome, {}, later)
    }
    await jobs.end(late[0] as Job, { error: 'earlier' }, {}, early)
    await jobs.end(late[1] as Job, OK, {}, early)
    expect(await jobs.config()).toMatchObject({
      last_notified_at: later,
      last_failed_at: later,
      last_error: 'latest',
    })
  })
})

describe('a result that comes too late', () => {
  it.each([
    ['of a success', OK],
    ['of a failure', { error: 'stale', status: 500 }],
    ['that would switch off', { error: 'stale', switches_off: true }],
  ])('%s changes nothing', async (_what, outcome) => {
    const about = { ...(await addFreshTarget()), notification_type: CONFIG_TYPE }
    const notified: unknown[] = []
    const kind = { onSwitchedOff: async () => void notified.push('notified') }
    const stale = await claimNewDelivery(about)
    app.clock.advance(LEASE_MS)
    const current = await jobs.claimOne()
    expect([stale.lease_no, current.lease_no]).toEqual([1, 2])
    const before = await readEverything()
    await jobs.end(stale, outcome, kind)
    expect(await readEverything()).toEqual(before)
    await jobs.end(current, OK)
    const after = await readEverything()
    app.clock.advance(1000)
    await jobs.end(stale, outcome, kind)
    await jobs.end(current, { error: 'twice' }, kind)
    expect(await readEverything()).toEqual(after)
    expect(notified).toEqual([])
  })
})

it('concurrent results are all recorded, and the latest of them counts', async () => {
  const about = { ...(await addFreshTarget()), notification_type: CONFIG_TYPE }
  for (let i = 0; i < 40; i++) await jobs.putDelivery(about)
  const claimed = await jobs.claim({ limit: 40, max_per_sponsor: 40 })
  const started = now()
  const nth = (i: number) => new Date(started.getTime() + i * 1000)
  await Promise.all(
    claimed.map((job, i) =>
      jobs.end(job, i % 3 === 0 ? { error: `no ${i}`, is_final: true } : OK, {}, nth(i)),
    ),
  )
  expect(await jobs.target(target_id)).toMatchObject({
    last_success_at: nth(38),
    last_failure_at: nth(39),
    last_error: 'no 39',
    failing_since: nth(39),
  })
  expect(await jobs.config()).toMatchObject({
    last_notified_at: nth(38),
    last_failed_at: nth(39),
    last_error: 'no 39',
  })
  expect(await app.sql('select * from delivery_attempts')).toHaveLength(40)
})

async function addFreshTarget(): Promise<{ target_id: string }> {
  target_id = await jobs.newTarget()
  return { target_id }
}

async function readEverything(): Promise<unknown> {
  return [
    await app.sql('select * from outbox order by job_id'),
    await app.sql('select * from delivery_attempts order by job_id, lease_no'),
    await jobs.target(target_id),
    await jobs.config(),
  ]
}

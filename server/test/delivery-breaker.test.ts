// The breaker of a target: what pauses it, that one message goes first when the pause ends, and what ends the pauses
// for good.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Outcome } from '../src/delivery/job.ts'
import type { Job } from '../src/delivery/outbox.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { type Jobs, LEASE_MS, makeJobs, PROBE_MS } from './jobs.ts'
import { until } from './patience.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const FIRST_PAUSE_MS = 30_000
const DOWN = { error: 'The receiver could not be reached', is_reached: false }
const OK = { error: null, is_reached: true }

let app: TestApp
let jobs: Jobs
let target_id: string
beforeAll(async () => {
  app = await startTestApp()
  jobs = await makeJobs(app)
})
beforeEach(async () => {
  target_id = await jobs.newTarget()
})
afterEach(async () => {
  await jobs.stopAll()
  await app.sql('delete from outbox')
})
afterAll(() => app.stop())

describe('five failures in a row', () => {
  it('pause the target: its messages wait, and no attempt is counted', async () => {
    const waiting = await pause()
    expect(await jobs.claim()).toEqual([])
    for (const job_id of waiting) {
      expect(await jobs.row(job_id)).toMatchObject({ attempts: 0, lease_no: 0, finished_at: null })
    }
    expect(await readBreaker()).toMatchObject({ failures: 5, paused_until: inMs(FIRST_PAUSE_MS) })
  })

  it('do not pause other targets of the organization, or jobs without one', async () => {
    await pause()
    const other = await jobs.newTarget()
    const served = [await jobs.putDelivery({ target_id: other }), await jobs.put('greet')]
    expect((await jobs.claim()).map(({ job_id }) => job_id).toSorted()).toEqual(served.toSorted())
  })

  it.each([
    ['a message is delivered', OK],
    ['the receiver rejects one', { error: 'The receiver answered 400', status: 400, is_reached: true }],
  ])('are not in a row when %s in between', async (_what, outcome) => {
    await putDeliveries(10)
    for (const ends of [DOWN, DOWN, DOWN, DOWN, outcome, DOWN, DOWN, DOWN, DOWN]) await endOne(ends)
    expect(await jobs.claim()).toHaveLength(1)
  })

  it.each([
    ['were not attempted', { error: 'The target is switched off', is_untried: true }],
    ['say nothing about the receiver', { error: 'The message could not be prepared' }],
  ])('do not count when they %s', async (_what, outcome) => {
    await putDeliveries(7)
    for (let i = 0; i < 6; i++) await endOne({ ...outcome, is_final: true })
    expect(await jobs.claim()).toHaveLength(1)
  })
})

describe('when the pause ends', () => {
  it('one message goes first, however many workers look for work', async () => {
    const waiting = await pause()
    app.clock.advance(FIRST_PAUSE_MS)
    const claims = await Promise.all(Array.from({ length: 6 }, () => jobs.claim()))
    expect(claims.flat().map(({ job_id }) => job_id)).toEqual(waiting.slice(0, 1))
    expect(await jobs.claim()).toEqual([])
  })

  it('its failure pauses the target for longer, and is in the log like any other', async () => {
    await pause()
    app.clock.advance(FIRST_PAUSE_MS)
    const probe = await jobs.claimOne()
    await jobs.end(probe, DOWN)
    expect(await readBreaker()).toMatchObject({ failures: 6, paused_until: inMs(2 * FIRST_PAUSE_MS) })
    expect(await jobs.attempts(probe.job_id)).toMatchObject([{ error: DOWN.error }])
    app.clock.advance(2 * FIRST_PAUSE_MS - 1)
    expect(await jobs.claim()).toEqual([])
    app.clock.advance(1)
    expect(await jobs.claim()).toHaveLength(1)
  })

  it('its success lets all others follow', async () => {
    const waiting = await pause()
    app.clock.advance(FIRST_PAUSE_MS)
    await jobs.end(await jobs.claimOne(), OK)
    expect(await readBreaker()).toBeUndefined()
    const followed = (await jobs.claim()).map(({ job_id }) => job_id)
    expect(followed).toEqual(expect.arrayContaining(waiting.slice(1)))
  })

  it('another message goes when the worker that sent the first one was killed', async () => {
    await pause()
    app.clock.advance(FIRST_PAUSE_MS)
    await jobs.claimOne()
    app.clock.advance(LEASE_MS)
    expect(await jobs.claim()).toEqual([])
    app.clock.advance(PROBE_MS - LEASE_MS)
    expect(await jobs.claim()).toHaveLength(1)
  })

  it('failures of messages that were already under way do not prolong it', async () => {
    await putDeliveries(6)
    const [late, ...others] = await jobs.claim()
    for (const job of others) await jobs.end(job, DOWN)
    const before = await readBreaker()
    await jobs.end(late as Job, DOWN)
    expect(await readBreaker()).toMatchObject({ failures: 6, paused_until: before?.paused_until })
  })
})

describe('a paused target', () => {
  it('is switched off after five days, and its messages no longer wait', async () => {
    await pause()
    app.clock.advance(5 * DAY_MS)
    await jobs.end(await jobs.claimOne(), DOWN)
    expect(await jobs.target(target_id)).toMatchObject({ switched_off_at: app.clock.now() })
    expect(await readBreaker()).toBeUndefined()
    expect((await jobs.claim()).length).toBeGreaterThan(1)
  })
})

it('two workers send one probe, and lose and repeat nothing', async () => {
  let is_down = true
  const tried: string[] = []
  const work = async ({ job_id }: Job): Promise<Outcome> => {
    tried.push(job_id)
    return is_down ? DOWN : OK
  }
  const workers = [jobs.start({ delivery: work }), jobs.start({ delivery: work })]
  const settle = () => Promise.all(workers.map(worker => worker.untilPolled()))
  const ids = await putDeliveries(40)
  await until(isPaused)
  await settle()
  const before = tried.length
  app.clock.advance(FIRST_PAUSE_MS)
  await until(async () => Number((await readBreaker())?.pauses) === 2)
  await settle()
  expect(tried).toHaveLength(before + 1)
  is_down = false
  app.clock.advance(2 * FIRST_PAUSE_MS)
  await until(async () => (await app.sql('select 1 from outbox where finished_at is null')).length === 0)
  const done = await app.sql('select job_id from outbox where last_error is null')
  expect(done.map(({ job_id }) => job_id).toSorted()).toEqual(ids.toSorted())
  const sent = await app.sql('select job_id from delivery_attempts where error is null')
  expect(sent).toHaveLength(40)
})

async function isPaused(): Promise<boolean> {
  return (await readBreaker())?.paused_until instanceof Date
}

/** Lets five messages fail. Returns the three that wait, in order. */
async function pause(): Promise<string[]> {
  const ids = await putDeliveries(8)
  for (let i = 0; i < 5; i++) await endOne({ ...DOWN, is_final: true })
  return ids.slice(5)
}

async function putDeliveries(count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) ids.push(await jobs.putDelivery({ target_id }))
  return ids
}

async function endOne(outcome: Outcome): Promise<void> {
  const [job] = await jobs.claim({ limit: 1 })
  await jobs.end(job as Job, outcome)
}

async function readBreaker() {
  return (await app.sql('select * from delivery_breakers where target_id = $1', [target_id]))[0]
}

const inMs = (ms: number) => new Date(app.clock.now().getTime() + ms)

// Fairness of the worker: no org uses more than its share, none waits for another's jobs, and the cost does not
// depend on the length of other queues.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Job } from '../src/delivery/outbox.ts'
import { groupBy } from '../src/lib/group-by.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { failStatement, type Jobs, makeJobs } from './jobs.ts'
import { until } from './patience.ts'
import { countRowsRead } from './rows-read.ts'

const MAX_RUNNING = 64
const MAX_PER_SPONSOR = 8
const RESERVED = 16

let app: TestApp
let jobs: Jobs
beforeAll(async () => {
  app = await startTestApp()
  jobs = await makeJobs(app)
})
const hanging_work: { release(): void }[] = []
afterEach(async () => {
  for (const { release } of hanging_work.splice(0)) release()
  await jobs.stopAll()
  await app.sql('delete from outbox')
})
afterAll(() => app.stop())

describe('a claim', () => {
  it('takes due jobs of each org, in order, up to its limit', async () => {
    const other = await jobs.newOrg()
    const mine = await jobs.putMany('greet', 5)
    const theirs = await jobs.putMany('greet', 5, other)
    const claimed = await jobs.claim({ max_per_sponsor: 3, busy: { [other]: 1 } })
    expect(listIds(claimed, jobs.org_id)).toEqual(mine.slice(0, 3).toSorted())
    expect(listIds(claimed, other)).toEqual(theirs.slice(0, 2).toSorted())
  })

  it('takes nothing of an org at its limit, and fills the rest from the others', async () => {
    const other = await jobs.newOrg()
    await jobs.putMany('greet', 5)
    await jobs.putMany('greet', 5, other)
    const claimed = await jobs.claim({ limit: 4, max_per_sponsor: 3, busy: { [jobs.org_id]: 9 } })
    expect(claimed.map(({ org_id }) => org_id)).toEqual([other, other, other])
  })

  it('starts with the org that has waited longest, and stops at the maximum', async () => {
    const [second, first] = [await jobs.newOrg(), await jobs.newOrg()]
    await jobs.putMany('greet', 4, first)
    app.clock.advance(1000)
    await jobs.putMany('greet', 4, second)
    app.clock.advance(1000)
    await jobs.putMany('greet', 4)
    const claimed = await jobs.claim({ limit: 7, max_per_sponsor: 4 })
    expect(listIds(claimed, first)).toHaveLength(4)
    expect(listIds(claimed, second)).toHaveLength(3)
    expect(listIds(claimed, jobs.org_id)).toHaveLength(0)
  })

  it('skips jobs that another worker is claiming at the same time', async () => {
    const ids = await jobs.putMany('greet', 60)
    const claims = await Promise.all(Array.from({ length: 6 }, () => jobs.claim()))
    const again = await jobs.claim({ limit: 60, max_per_sponsor: 60 })
    const claimed = [...claims.flat(), ...again].map(({ job_id }) => job_id)
    expect(claimed.toSorted()).toEqual(ids.toSorted())
  })

  it('reads no more rows when ten thousand jobs wait', async () => {
    const [before, between, after] = [await jobs.newOrg(), await jobs.newOrg(), await jobs.newOrg()]
    await jobs.putMany('greet', 1, before)
    await jobs.putMany('greet', 1, after)
    const alone = await countRowsReadByClaim()
    await jobs.putMany('greet', 10_000, between)
    expect(await countRowsReadByClaim()).toBeLessThanOrEqual(alone + 3 * (MAX_PER_SPONSOR + 1))
  })

  it('takes jobs of each target up to its limit, and the share of the org from as many targets', async () => {
    const [hanging, first, second] = await addTargets(3)
    await jobs.putMany('greet', 20, jobs.org_id, hanging)
    app.clock.advance(1000)
    for (const target of [first, second]) await jobs.putMany('greet', 20, jobs.org_id, target)
    const limits = { max_per_sponsor: 5, max_per_target: 2, busy: { [jobs.org_id]: 2 } }
    const claimed = await jobs.claim({ ...limits, busy_targets: { [String(hanging)]: 2 } })
    expect(claimed.map(({ target_id }) => target_id).toSorted()).toEqual(
      [first, first, second].map(String).toSorted(),
    )
  })

  it('takes the oldest jobs of a target first', async () => {
    const [target] = await addTargets(1)
    const ids = await jobs.putMany('greet', 9, jobs.org_id, target)
    const claimed = await jobs.claim({ max_per_target: 2 })
    expect(listIds(claimed, jobs.org_id)).toEqual(ids.slice(0, 2).toSorted())
  })

  it('does not treat all jobs without a target as having the same one', async () => {
    await jobs.putMany('greet', 9)
    expect(await jobs.claim({ max_per_target: 2 })).toHaveLength(9)
  })

  it('reads no more rows when ten thousand jobs of one target of the org wait', async () => {
    const [hanging, healthy] = await addTargets(2)
    await jobs.putMany('greet', 1, jobs.org_id, healthy)
    const alone = await countRowsReadByClaim()
    await jobs.putMany('greet', 10_000, jobs.org_id, hanging)
    const limit = alone + 3 * (MAX_PER_SPONSOR + 1)
    expect(await countRowsReadByClaim()).toBeLessThanOrEqual(limit)
    expect(await countRowsReadByClaim({ [String(hanging)]: 2 })).toBeLessThanOrEqual(limit)
    await app.sql('vacuum analyze outbox')
    expect(await countRowsReadByClaim({ [String(hanging)]: 2 })).toBeLessThanOrEqual(limit)
  })
})

describe('the organizations of one sponsor', () => {
  const makeOrgs = (count: number, sponsor: string) =>
    Promise.all(Array.from({ length: count }, () => jobs.newOrg(sponsor)))

  it('share the places of one, whatever their number', async () => {
    const forty = await makeOrgs(40, 'person:mallory')
    for (const org of forty) await jobs.putMany('greet', 2, org)
    const theirs = await Promise.all(['person:ann', 'person:ben'].map(sponsor => jobs.newOrg(sponsor)))
    for (const org of theirs) await jobs.putMany('greet', 20, org)
    const claimed = await jobs.claim({ limit: 48, max_per_sponsor: 8 })
    expect(countBySponsor(claimed)).toEqual({ 'person:ann': 8, 'person:ben': 8, 'person:mallory': 8 })
    const mallory = claimed.filter(({ sponsor }) => sponsor === 'person:mallory')
    expect(new Set(mallory.map(({ org_id }) => org_id)).size).toBe(8)
  })

  it('have as many places as organizations of different people have together', async () => {
    for (let person = 0; person < 40; person++) {
      await jobs.putMany('greet', 9, await jobs.newOrg(`person:${person}`))
    }
    const claimed = await jobs.claim({ limit: 400, max_per_sponsor: 8 })
    expect(Object.values(countBySponsor(claimed))).toEqual(Array(40).fill(8))
  })

  it('divide the places, those with less running first', async () => {
    const [busy, idle] = (await makeOrgs(2, 'person:ann')) as [string, string]
    await jobs.putMany('greet', 20, busy)
    app.clock.advance(1000)
    await jobs.putMany('greet', 20, idle)
    const first = await jobs.claim({ limit: 48, max_per_sponsor: 8 })
    expect([listIds(first, busy).length, listIds(first, idle).length]).toEqual([4, 4])
    const counts = { busy: { 'person:ann': 7 }, busy_orgs: { [busy]: 6, [idle]: 1 } }
    const second = await jobs.claim({ limit: 48, max_per_sponsor: 8, ...counts })
    expect(second.map(({ org_id }) => org_id)).toEqual([idle])
  })

  it('leave others their places while they all hang', async () => {
    const hanging = makeHangingWork()
    const done: string[] = []
    for (const org of await makeOrgs(40, 'person:mallory')) await jobs.putMany('hang', 5, org)
    const other = await jobs.newOrg('person:ann')
    const { untilPolled } = jobs.start({ hang: hanging.work, greet: async job => void done.push(job.job_id) })
    await until(() => hanging.running() === MAX_PER_SPONSOR)
    const served = await jobs.putMany('greet', 20, other)
    await until(() => done.length === 20)
    await untilPolled()
    expect(hanging.running()).toBe(MAX_PER_SPONSOR)
    expect(done.toSorted()).toEqual(served.toSorted())
  })
})

describe('the worker', () => {
  it('serves another org while a hundred jobs of the first hang', async () => {
    const hanging = makeHangingWork()
    const done: string[] = []
    const other = await jobs.newOrg()
    await jobs.putMany('hang', 100)
    jobs.start({ hang: hanging.work, greet: async job => void done.push(job.job_id) })
    await until(() => hanging.running() === MAX_PER_SPONSOR)
    const served = [await jobs.put('greet', other), await jobs.put('greet', other)]
    await until(() => done.length === 2)
    expect(done.toSorted()).toEqual(served.toSorted())
    expect(hanging.running()).toBe(MAX_PER_SPONSOR)
    await until(async () => (await countJobs('finished_at is not null')) === 2)
    expect(hanging.running()).toBe(MAX_PER_SPONSOR)
    hanging.release()
    await until(async () => (await countJobs('finished_at is null')) === 0)
    expect(hanging.max_at_once()).toBe(MAX_PER_SPONSOR)
  })

  it('reserves capacity for orgs without running jobs when many orgs hang', async () => {
    const hanging = makeHangingWork()
    const done: string[] = []
    for (let org = 0; org < 10; org++) await jobs.putMany('hang', 20, await jobs.newOrg())
    jobs.start({ hang: hanging.work, greet: async job => void done.push(job.job_id) })
    await until(() => hanging.running() >= MAX_RUNNING - RESERVED)
    const served = await jobs.put('greet')
    await until(() => done.length === 1)
    expect(done).toEqual([served])
    expect(hanging.running()).toBeLessThan(MAX_RUNNING)
    hanging.release()
  })

  it('never exceeds its capacity, however many orgs there are', async () => {
    const hanging = makeHangingWork()
    for (let org = 0; org < MAX_RUNNING + 10; org++) await jobs.putMany('hang', 1, await jobs.newOrg())
    jobs.start({ hang: hanging.work })
    await until(() => hanging.running() === MAX_RUNNING)
    await until(async () => (await countJobs('lease_no > 0')) === MAX_RUNNING)
    hanging.release()
    await until(async () => (await countJobs('finished_at is null')) === 0)
    expect(hanging.max_at_once()).toBe(MAX_RUNNING)
  })

  it('claims many at a time, and records each in one statement', async () => {
    const hanging = makeHangingWork()
    for (let org = 0; org < 5; org++) await jobs.putMany('hang', 100, await jobs.newOrg())
    const { sent } = jobs.start({ hang: hanging.work }, { never_polls: true })
    await until(() => hanging.running() === 5 * MAX_PER_SPONSOR)
    expect(sent.countOf('outbox.claim')).toBe(1)
    hanging.release()
    await until(async () => (await countJobs('finished_at is null')) === 0)
    expect(sent.countOf('outbox.settle')).toBe(500)
  })

  it('continues as soon as capacity is free, without waiting for the next poll', async () => {
    await jobs.putMany('greet', 20 * MAX_PER_SPONSOR)
    const { sent } = jobs.start({ greet: async () => undefined }, { never_polls: true })
    await until(async () => (await countJobs('finished_at is null')) === 0)
    expect(sent.countOf('outbox.claim')).toBeGreaterThanOrEqual(20)
  })

  it('polls immediately when it is woken', async () => {
    const worker = jobs.start({ greet: async () => undefined }, { never_polls: true })
    const claims = () => worker.sent.countOf('outbox.claim')
    await until(() => claims() === 1)
    for (let woken = 2; woken <= 40; woken++) {
      worker.wake()
      await until(() => claims() >= woken)
    }
  })

  it('claims nothing while it cannot extend its leases', async () => {
    const hanging = makeHangingWork()
    const [job_id] = await jobs.putMany('hang', 1)
    const db = failStatement(app.db, 'outbox.extend', 2)
    const worker = jobs.start({ hang: hanging.work }, { db, never_polls: true })
    const claims = () => worker.sent.countOf('outbox.claim')
    await until(() => hanging.running() === 1)
    app.clock.advance(61_000)
    for (const failures of [1, 2]) {
      worker.wake()
      await until(() => db.failures() === failures)
    }
    expect(claims()).toBe(1)
    worker.wake()
    await until(() => claims() === 2)
    expect(await jobs.row(job_id ?? '')).toMatchObject({ lease_no: 1, attempts: 1 })
    hanging.release()
  })
})

function addTargets(count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, jobs.newTarget))
}

function listIds(claimed: readonly Job[], org_id: string): string[] {
  return claimed
    .filter(job => job.org_id === org_id)
    .map(({ job_id }) => job_id)
    .toSorted()
}

function countBySponsor(claimed: readonly Job[]): Record<string, number> {
  const counts = groupBy(claimed, ({ sponsor }) => sponsor)
  return Object.fromEntries([...counts].map(([sponsor, own]) => [sponsor, own.length]).toSorted())
}

async function countJobs(condition: string): Promise<number> {
  return Number((await app.sql(`select count(*)::int as n from outbox where ${condition}`))[0]?.n)
}

/** Jobs that end only when they are released. */
function makeHangingWork() {
  let running = 0
  let max = 0
  let is_released = false
  const waiting: (() => void)[] = []
  const hanging = {
    work: async () => {
      running += 1
      max = Math.max(max, running)
      if (!is_released) await new Promise<void>(resolve => waiting.push(resolve))
      running -= 1
    },
    running: () => running,
    max_at_once: () => max,
    release: () => {
      is_released = true
      for (const resolve of waiting.splice(0)) resolve()
    },
  }
  hanging_work.push(hanging)
  return hanging
}

/** How many rows of the outbox one claim reads. */
function countRowsReadByClaim(busy_targets: Record<string, number> = {}): Promise<number> {
  const now = app.clock.now()
  const limits = {
    limit: 48,
    max_per_sponsor: MAX_PER_SPONSOR,
    busy: {},
    busy_orgs: {},
    max_per_target: 2,
    busy_targets,
  }
  const params = { now, lease_until: now, probe_until: now, ...limits }
  return countRowsRead(app, { statement: 'outbox.claim', params, scope: { worker: 'a' }, table: 'outbox' })
}

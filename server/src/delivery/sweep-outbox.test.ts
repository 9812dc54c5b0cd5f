// Jobs that finished long ago are removed with their attempt logs; the others stay, however old they are.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../test/harness.ts'
import { type Jobs, makeJobs } from '../../test/jobs.ts'
import { makeLog } from '../lib/log.ts'
import { KEEP_DAYS, sweepOutboxOnce } from './sweep-outbox.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const MORE_THAN_A_PORTION = 2_500

let app: TestApp
let jobs: Jobs
beforeAll(async () => {
  app = await startTestApp()
  jobs = await makeJobs(app)
})
afterAll(() => app.stop())

const sweep = () => sweepOutboxOnce({ db: app.db, clock: app.clock, log: makeLog('silent') })
const listKept = async () =>
  (await app.sql('select job_id from outbox')).map(({ job_id }) => String(job_id)).toSorted()

it('removes jobs that were finished more than 30 days ago, in as many batches as needed', async () => {
  const old = await jobs.putMany('greet', MORE_THAN_A_PORTION)
  const other_org = await jobs.newOrg()
  await jobs.putMany('greet', 3, other_org)
  await app.sql('update outbox set finished_at = $1', [app.clock.now()])
  await app.sql(
    'insert into delivery_attempts (org_id, job_id, lease_no, attempted_at, duration_ms) values ($1, $2, 1, $3, 1)',
    [jobs.org_id, old[0], app.clock.now()],
  )
  app.clock.advance(DAY_MS)
  const recent = await jobs.put('greet')
  await app.sql('update outbox set finished_at = $1 where job_id = $2', [app.clock.now(), recent])
  app.clock.advance((KEEP_DAYS - 1) * DAY_MS)
  await sweep()
  expect(await listKept()).toHaveLength(MORE_THAN_A_PORTION + 4)
  app.clock.advance(1)
  await sweep()
  expect(await listKept()).toEqual([recent])
  expect(await app.sql('select * from delivery_attempts')).toEqual([])
})

it('keeps unfinished jobs, however old', async () => {
  const waiting = await jobs.put('greet')
  app.clock.advance(400 * DAY_MS)
  await sweep()
  expect(await listKept()).toEqual([waiting])
})

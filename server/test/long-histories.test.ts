// The number of rows read about now, or about a short time, does not grow with earlier history. The tests count rows,
// not time.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lengthenHistory, makeEnvironment, report } from './environments.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { countRowsRead, type Run } from './rows-read.ts'

const SNAPSHOTS = 20_000
const LEAVES = 20_000
const MINUTE_MS = 60_000
/** For a minute with one snapshot per second, at most twice as many, and a few around it. */
const FEW_ROWS = 2 * 60 + 10

let app: TestApp
let org_id: string
let environment_ids: string[]
let minute: { from_at: Date; to_at: Date }
beforeAll(async () => {
  app = await startTestApp()
  await makeEnvironment(app, 'prod')
  await report(app, 'prod', 'a')
  const environment = await lengthenHistory(app, 'prod', SNAPSHOTS)
  org_id = environment.org_id
  environment_ids = [environment.environment_id]
  const now = app.clock.now()
  minute = { from_at: new Date(now.getTime() - MINUTE_MS), to_at: now }
  await lengthenLog()
  // The service does so within seconds.
  await app.sql('analyze')
})
afterAll(() => app.stop())

/** All leaves but the last are published and sent to a destination. */
async function lengthenLog() {
  await app.sql(
    `insert into log_leaves
     select l.org_id, l.epoch, l.seq + n, gen_random_uuid(), l.kind, l.logged_ms, l.body_hash, l.tags, l.leaf_hash
     from (select * from log_leaves where org_id = $1 order by seq desc limit 1) l, generate_series(1, $2::int) n`,
    [org_id, LEAVES],
  )
  await app.sql(`update log_heads set size = size + $2::int where org_id = $1`, [org_id, LEAVES])
  await app.sql(
    `insert into log_checkpoints (org_id, epoch, minute, size, root, note)
     select org_id, epoch, 1, size - 1, sha256(''), '' from log_heads where org_id = $1`,
    [org_id],
  )
  await app.sql(
    `insert into audit_sink_cursors (org_id, sink, epoch, next_seq, not_before)
     select org_id, 'siem', epoch, size - 1, '2026-03-03' from log_heads where org_id = $1`,
    [org_id],
  )
}

async function expectFewRows(run: Run) {
  expect(await countRowsRead(app, run)).toBeLessThanOrEqual(FEW_ROWS)
}

describe('a minute of an old environment', () => {
  const table = 'snapshots'

  it('is all that its timeline reads', async () => {
    const silences = { silent_ids: [], silent_from: [], silent_to: [] }
    const { from_at, to_at } = minute
    const starts = [from_at.toISOString()]
    const params = {
      org_id,
      environment_ids,
      ...minute,
      now: to_at,
      starts,
      owner_ids: [],
      source_ids: [],
      ...silences,
    }
    await expectFewRows({ statement: 'timeline.in_buckets', params, table, scope: { org: org_id } })
  })

  it('is all that is read to find since when the environment has had its state', async () => {
    const params = { org_id, environment_ids, from_at: minute.from_at }
    await expectFewRows({ statement: 'environment_timelines.since', params, table, scope: { org: org_id } })
  })

  it('is all that is read to find policy changes', async () => {
    const params = { org_id, environment_ids, ...minute, max_examined: 1_000 }
    await expectFewRows({ statement: 'policy_changes.snapshots', params, table, scope: { org: org_id } })
  })
})

describe('a long log', () => {
  it.each([
    ['what is not published', 'fleet.read_logs', {}],
    ['what a destination has not received', 'audit_sinks.measure', { sinks: ['siem'] }],
  ])('is not read by a scrape that measures %s', async (_what, statement, params) => {
    await expectFewRows({ statement, params, table: 'log_leaves', scope: { worker: 'a' } })
  })
})

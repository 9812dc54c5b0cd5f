// A report that reaches a database time limit: the response names the limit and what to do, nothing is stored, and
// the connection serves the next request. The limits of a large report are longer.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineStatement, text } from '../src/db/statement.ts'
import { makeEnvironment, readLatestIndex, report } from './environments.ts'
import { startTestApp, type TestApp, type TestOptions } from './harness.ts'

const STATEMENT_LIMIT = { statement_timeout: '2000' }
const LOCK_LIMIT = { lock_timeout: '500' }

const backend = defineStatement(
  'test.report_backend',
  {},
  { pid: text },
  'select pg_backend_pid()::text as pid',
)

let app: TestApp
let limited: TestApp

/** With one connection only. An application without these limits creates the environments. */
async function startLimited(limits: NonNullable<TestOptions['pool']>['limits']): Promise<void> {
  limited = await startTestApp({ beside: app, pool: { max: 1, limits } })
}
beforeEach(async () => {
  app = await startTestApp()
  await makeEnvironment(app, 'prod')
})
afterEach(async () => {
  await limited.stop()
  await app.stop()
})

async function readBackend(): Promise<string | undefined> {
  return (await limited.db.runOnce({}, backend, {}))[0]?.pid
}

const countStored = async () =>
  (
    await app.sql(`select (select count(*)::int from running_artifacts) as running,
      (select count(*)::int from runs) as runs, (select count(*)::int from snapshots) as snapshots,
      (select count(*)::int from deployments) as deployments, (select last_reported_at from environments)`)
  )[0]
const NOTHING = { running: 0, runs: 0, snapshots: 0, deployments: 0, last_reported_at: null }

describe('a report that the database cannot store in time', () => {
  it('gets 503 with the limit, its value and what to do, stores nothing and keeps the connection', async () => {
    await startLimited(STATEMENT_LIMIT)
    await app.sql(`create function wait_here() returns trigger language plpgsql as
      $$ begin perform pg_sleep(3600); return new; end $$`)
    await app.sql('create trigger wait_here before insert on runs for each row execute function wait_here()')
    const before = await readBackend()
    const refused = await report(limited, 'prod', 'a1')
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
    expect(refused.body.message).toBe(
      'The database reached the time limit for one statement (statement_timeout, 2 s); the change was rolled back. ' +
        'Request less at once, such as a smaller page or a shorter period, or try again; ' +
        'the operator can raise WAYBILL_STATEMENT_TIMEOUT',
    )
    expect(await countStored()).toEqual(NOTHING)
    expect(await readBackend()).toBe(before)
    await app.sql('drop trigger wait_here on runs')
    expect((await report(limited, 'prod', 'a1')).status).toBe(200)
    expect(await readLatestIndex(app, 'prod')).toBe(1)
    expect(await readBackend()).toBe(before)
  })

  it('gets 503 with the lock timeout, if somebody else has locked the environment', async () => {
    await startLimited(LOCK_LIMIT)
    const before = await readBackend()
    await app.owner.query('begin')
    await app.owner.query('select from environments for update')
    const refused = await report(limited, 'prod', 'a1')
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
    expect(refused.body.message).toBe(
      'Another request has locked what this one needs for longer than it may wait (lock_timeout, 0.5 s); ' +
        'the change was rolled back. Try again',
    )
    await app.owner.query('rollback')
    expect(await countStored()).toEqual(NOTHING)
    expect((await report(limited, 'prod', 'a1')).status).toBe(200)
    expect(await readBackend()).toBe(before)
  })
})

describe('a large report', () => {
  it('has more time for each statement than a small one', async () => {
    await startLimited({ statement_timeout: '100000' })
    await app.sql('create table seen (value text)')
    await app.sql(`create function note_limit() returns trigger language plpgsql security definer as
      $$ begin insert into seen values (current_setting('statement_timeout')); return null; end $$`)
    await app.sql('create trigger note_limit after insert on snapshots execute function note_limit()')
    const many = Array.from({ length: 2_000 }, (_, i) => i.toString(16).padStart(8, '0'))
    expect((await report(limited, 'prod', ...many)).status).toBe(200)
    expect((await report(limited, 'prod', 'a1')).status).toBe(200)
    // The second one stops the artifacts of the first.
    expect(await app.sql('select value from seen')).toEqual([{ value: '2min' }, { value: '120010ms' }])
  })
})

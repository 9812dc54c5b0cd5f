// Events from before the log become its leaves: each exactly once, whatever ends the importing process, and while
// others write.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Database, Db } from '../src/db/database.ts'
import { makeOwnerDb } from '../src/db/owner.ts'
import { recordEvents } from '../src/events/record.ts'
import { makeIds } from '../src/lib/ids.ts'
import { makeLog } from '../src/lib/log.ts'
import { findLogProblems } from '../src/log/check.ts'
import { BATCH, importBatch, importHistory } from '../src/log/history.ts'
import { listPendingImports } from '../src/log/history-store.ts'
import { fillOrg } from './filled-org.ts'
import { ORG, SECRET_KEY, startTestApp, type TestApp } from './harness.ts'
import { until } from './patience.ts'
import { importOldEvents } from './publish-logs.ts'
import { buildDatabaseUrl, makeDataDirectory, runProgram } from './service.ts'

/** More than two batches. */
const MANY = 2 * BATCH + 50

let app: TestApp
let org_id: string
beforeEach(async () => {
  app = await startTestApp()
  org_id = String((await app.sql('select org_id from orgs where name = $1', [ORG]))[0]?.org_id)
})
afterEach(() => app.stop())

const findProblems = () => findLogProblems(makeOwnerDb(app.owner))
const makeParts = (db: Database = app.db) => ({
  db,
  ids: makeIds(app.clock),
  clock: app.clock,
  log: makeLog('silent'),
})

async function recordMany(number: number): Promise<void> {
  const context = { org: { org_id }, caller: { name: 'ada' }, now: app.clock.now(), request_id: 'r' }
  const events = Array.from({ length: number }, (_, n) => ({ kind: 'org_exported' as const, data: { n } }))
  await app.db.withTransaction({ org_id }, tx => recordEvents(tx, context, makeIds(app.clock), events))
}

/** The state that a version without the log leaves. Returns the number of its events. */
async function forgetLog(): Promise<number> {
  for (const table of [
    'log_leaves',
    'log_nodes',
    'log_checkpoints',
    'log_keys',
    'log_heads',
    'history_imports',
  ])
    await app.sql(`delete from ${table} where org_id = $1`, [org_id])
  await app.sql(`delete from events where org_id = $1 and kind like 'log_%'`, [org_id])
  await app.sql('update events set salt = null, parts = null, caller = null where org_id = $1', [org_id])
  // Nothing was signed either.
  rmSync(join(app.evidence_dir, 'log'), { recursive: true, force: true })
  await app.sql('insert into history_imports (org_id) values ($1)', [org_id])
  const [row] = await app.sql('select count(*)::int as n from events where org_id = $1', [org_id])
  // Another process would know the keys of the existing logs.
  const fresh = await startTestApp({ beside: app })
  stopped.push(() => fresh.stop())
  importer = fresh
  return Number(row?.n)
}
const stopped: (() => Promise<void>)[] = []
let importer: TestApp
afterEach(async () => {
  for (const stop of stopped.splice(0)) await stop()
})

async function readLeaves() {
  const rows = await app.sql(
    `select l.seq::int as seq, l.kind, l.logged_ms::text as logged_ms, e.kind as event_kind, e.data, e.event_id::text as event_id,
       e.happened_at from log_leaves l join events e using (org_id, event_id) where l.org_id = $1 order by l.seq`,
    [org_id],
  )
  return rows as {
    seq: number
    kind: string
    event_kind: string
    event_id: string
    data: Record<string, unknown>
  }[]
}

/** Expects one leaf for every old event, no gap in the numbers, and a last record that confirms it. */
async function expectImported(number: number): Promise<void> {
  const leaves = await readLeaves()
  const imported = leaves.filter(({ kind }) => kind === 'history_imported')
  expect(leaves.map(({ seq }) => seq)).toEqual(leaves.map((_, i) => i))
  expect(new Set(imported.map(({ event_id }) => event_id)).size).toBe(number)
  expect(imported).toHaveLength(number)
  const complete = leaves.filter(({ kind }) => kind === 'history_complete')
  const kinds: Record<string, number> = {}
  for (const { event_kind } of imported) kinds[event_kind] = (kinds[event_kind] ?? 0) + 1
  const ids = imported.map(({ event_id }) => event_id.slice(0, 32)).sort()
  expect(complete.map(({ data }) => data)).toEqual([
    { count: number, first_id: ids[0], last_id: ids.at(-1), kinds },
  ])
  expect(await findProblems()).toEqual([])
}

/** A database that fails at one statement, counted over all of them, or after a commit. */
function failAt(db: Database, failing: number): { db: Database; reached: () => boolean } {
  let sent = 0
  let isReached = false
  const count = () => {
    if (sent++ !== failing) return
    isReached = true
    throw new Error('planted')
  }
  const watch = (tx: Db): Db => ({
    ...tx,
    run: (statement, params) => {
      count()
      return tx.run(statement, params)
    },
    runSteps: steps => {
      count()
      return tx.runSteps(steps)
    },
  })
  const withTransaction: Database['withTransaction'] = async (scope, work) => {
    const result = await db.withTransaction(scope, async tx => {
      const done = await work(watch(tx))
      count()
      return done
    })
    // Committed, but the process never learns of it.
    count()
    return result
  }
  return { db: { ...db, withTransaction }, reached: () => isReached }
}

describe('the import of history', () => {
  it('makes a leaf of every event, with the time of the import, and records how many it has imported', async () => {
    await fillOrg(app, app.admin, ORG)
    const number = await forgetLog()
    expect(number).toBeGreaterThan(30)
    expect(await findProblems()).toEqual([])
    await importOldEvents(importer)
    await expectImported(number)
    const [first] = await app.sql(
      `select l.logged_ms > extract(epoch from e.happened_at) * 1000 + 86400000 as is_later, l.tags <> '' as has_tags
       from log_leaves l join events e using (org_id, event_id)
       where l.org_id = $1 and e.kind = 'artifact_creation_reported' limit 1`,
      [org_id],
    )
    expect(first).toEqual({ is_later: true, has_tags: true })
    const { body } = await importer.reader.get(`/log/${ORG}/bodies/1`)
    expect(body.leaf).toContain('\nkind history_imported\n')
    expect(JSON.parse(body.body)).toHaveProperty('happened_at')
    // A second round finds nothing to do.
    await importOldEvents(importer)
    await expectImported(number)
  })

  it('covers reports, policies and states of snapshots as they are now', async () => {
    await fillOrg(app, app.admin, ORG)
    await forgetLog()
    await importOldEvents(importer)
    for (const change of [
      `update attestations set report = '{}'`,
      `update attestations set is_compliant = not is_compliant`,
      `update attestations set evidence_name = 'other' where evidence_name is not null`,
      `update artifact_reports set report = '{}'`,
      `update policy_versions set policy_yaml = ''`,
      `update snapshots set compliant = not coalesce(compliant, false)`,
      `update events set actor = 'mallory'`,
      `update events set salt = sha256('')`,
    ]) {
      await app.sql('begin')
      await app.sql(`${change}${change.includes(' where ') ? ' and' : ' where'} org_id = $1`, [org_id])
      const found = await findProblems()
      await app.sql('rollback')
      expect(found.length, change).toBeGreaterThan(0)
      for (const problem of found) expect(problem).toMatch(/leaf \d+/)
    }
  })

  it('continues where it stopped, whichever statement fails', async () => {
    await recordMany(MANY)
    const number = await forgetLog()
    for (let failing = 0; ; failing++) {
      const planted = failAt(importer.db, failing)
      await importHistory(makeParts(planted.db))
      if (!planted.reached()) break
      expect(failing).toBeLessThan(200)
    }
    await expectImported(number)
  })

  it('works beside writers and beside another import', async () => {
    await recordMany(MANY)
    const number = await forgetLog()
    const second = await startTestApp({ beside: app })
    stopped.push(() => second.stop())
    const write = async (name: string) => {
      for (let i = 0; i < 15; i++)
        await importer.admin.put(`/flows/${ORG}`, { name: `${name}-${i}`, description: '' })
    }
    // A process that finds the row locked tries again.
    const importAll = (process: TestApp) =>
      until(async () => {
        await importOldEvents(process)
        return (await listPendingImports(process.db)).length === 0
      })
    await Promise.all([importAll(importer), importAll(second), write('a'), write('b')])
    await expectImported(number)
    expect((await app.sql(`select from flows where org_id = $1`, [org_id])).length).toBe(30)
  })

  it('records nothing for an organization without such events', async () => {
    await app.sql('insert into history_imports (org_id) values ($1)', [org_id])
    expect(await importBatch(makeParts(), org_id)).toBe(false)
    expect(await app.readEvents('history_complete')).toEqual([])
    expect(await app.sql('select from history_imports where completed_at is not null')).toHaveLength(1)
  })

  it('leaves erased bodies alone, and imported ones can be erased', async () => {
    const answer = await app.admin.put(`/flows/${ORG}`, { name: 'shipping', description: '' })
    const number = await forgetLog()
    expect(answer.status).toBe(201)
    await importOldEvents(importer)
    const erased = await importer.admin.post(`/log/${ORG}/bodies/1/erase`, { reason: 'legal_obligation' })
    expect(erased.status, erased.text).toBe(200)
    expect((await importer.reader.get(`/log/${ORG}/bodies/1`)).status).toBe(410)
    await app.sql('update history_imports set completed_at = null, last_event_id = $1', [
      '00000000-0000-0000-0000-000000000000',
    ])
    await app.sql(`update history_imports set imported = 0, first_id = null, last_id = null, kinds = '{}'`)
    await importOldEvents(importer)
    // Mistaking an erased body for an old event would end every attempt.
    expect(await listPendingImports(importer.db)).toEqual([])
    await expectImported(number)
  })
})

describe('the check of a log with history', () => {
  it('finds events without a leaf once the import is complete, and the operator can import them', async () => {
    await recordMany(3)
    const number = await forgetLog()
    await importOldEvents(importer)
    await app.sql(
      `insert into events (org_id, event_id, kind, happened_at, actor, request_id, data)
       select org_id, 'ffffffff-0000-7000-8000-000000000000', 'org_exported', now(), 'ada', 'r', '{}' from orgs where name = $1`,
      [ORG],
    )
    expect(await findProblems()).toEqual([`${ORG}: 1 events have no leaf`])
    const env = { DATABASE_URL: buildDatabaseUrl(app.database), WAYBILL_SECRET_KEY: SECRET_KEY }
    const data_dir = makeDataDirectory()
    const { stdout } = await runProgram(['admin', 'log', 'import-history', ORG], { data_dir, env })
    expect(stdout).toBe('the events of acme will be looked at again\n')
    await importOldEvents(importer)
    expect(await findProblems()).toEqual([])
    const told = (await app.readEvents('history_complete')).map(({ data }) => data.count)
    expect(new Set(told)).toEqual(new Set([number, 1]))
  })

  it('finds that the import record has another number', async () => {
    await recordMany(3)
    const number = await forgetLog()
    await importOldEvents(importer)
    await app.sql('begin')
    await app.sql(`update events set data = data || '{"count": 2}' where kind = 'history_complete'`)
    const found = await findProblems()
    await app.sql('rollback')
    expect(found).toContain(`${ORG}: ${number} leaves are imported events, and history_complete says 2`)
    expect(found).toContainEqual(expect.stringMatching(/\(history_complete\) does not fit its event/))
  })
})

describe('the application role', () => {
  it('gives an event a salt once, and only in its own organization', async () => {
    await recordMany(1)
    await forgetLog()
    const [event] = await app.sql(
      `select event_id::text as event_id from events where kind = 'org_exported' limit 1`,
    )
    const run = async (org: string) => {
      const events = JSON.stringify([{ event_id: event?.event_id, salt: '00', parts: null }])
      const [row] = await app.sql('select import_events($1, $2)::int as n', [org, events])
      return row?.n
    }
    const [other] = await app.sql('select org_id from orgs where name <> $1 limit 1', [ORG])
    await app.sql('begin')
    await app.sql('set local role waybill_app')
    await app.sql(`select set_config('app.org', $1, true)`, [other?.org_id])
    expect(await run(org_id)).toBe(0)
    await app.sql(`select set_config('app.org', $1, true)`, [org_id])
    expect([await run(org_id), await run(org_id)]).toEqual([1, 0])
    await app.sql('rollback')
  })
})

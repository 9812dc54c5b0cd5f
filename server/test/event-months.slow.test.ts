// The event log has one table per month: new months are created in advance, old ones are detached and attached, a
// page of the newest events reads only the newest of them, and the application role can do nothing else with them.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { checkIntegrity } from '../src/admin/check.ts'
import {
  addMonth,
  attachMonths,
  detachMonths,
  layOutMonths,
  listEventTables,
  nameMonth,
  prepareMonths,
  readEventLayout,
} from '../src/db/event-months.ts'
import { deleteOrgRows } from '../src/db/org-removal.ts'
import { TRANSACTION_SETTINGS } from '../src/db/scope.ts'
import { bindValues, declaredStatements } from '../src/db/statement.ts'
import { makeEventMonths } from '../src/events/months-store.ts'
import { APP_PASSWORD } from './cluster.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { buildDatabaseUrl, makeDataDirectory, runProgram } from './service.ts'

const MONTHS = 24
const EVENTS_PER_MONTH = 50
const PAGE_SIZE = 20

let app: TestApp
let asApp: pg.Client
let org_id: string
let current: string
let first: string
beforeAll(async () => {
  app = await startTestApp()
  const { database } = app.owner
  const options = Object.entries(TRANSACTION_SETTINGS).map(([name, value]) => `-c ${name}=${value}`)
  const login = { database, user: 'waybill_app', password: APP_PASSWORD, options: options.join(' ') }
  asApp = new pg.Client({ ...inject('cluster'), ...login })
  await asApp.connect()
  org_id = String((await app.sql("select org_id from orgs where name = 'acme'"))[0]?.org_id)
  const [months] = await app.sql(
    `select to_char(now() at time zone 'UTC', 'YYYY-MM') as current,
       to_char(now() at time zone 'UTC' - interval '${MONTHS - 1} months', 'YYYY-MM') as first`,
  )
  current = String(months?.current)
  first = String(months?.first)
  // The log of a service that has had months for two years.
  await app.sql('delete from events')
  await layOutMonths(app.owner, { months_from: first, is_trimmed: false })
  for (let month = first; month <= current; month = addMonth(month))
    await insertEvents(month, EVENTS_PER_MONTH)
  await app.sql('analyze')
})
afterAll(async () => {
  await asApp.end()
  await app.stop()
})

const FLOW = '01900002-0000-7000-8000-000000000001'
const TRAIL = '01900003-0000-7000-8000-000000000001'

async function insertEvents(month: string, count: number): Promise<void> {
  await app.sql(
    `insert into events (org_id, event_id, kind, happened_at, actor, request_id, flow_id, trail_id, data)
     select $1, (left(first_event_id($2::date)::text, 14) || '7000-8000-' ||
         lpad(n::text, 12, '0'))::uuid, 'flow_updated', $2::date, 'ada', 'r', '${FLOW}', '${TRAIL}', '{}'
     from generate_series(1, $3::int) n`,
    [org_id, `${month}-01`, count],
  )
}

const countEvents = async (table = 'events') =>
  Number((await app.sql(`select count(*)::int as n from ${table}`))[0]?.n)

interface PlanNode {
  'Actual Loops': number
  'Relation Name'?: string
  Plans?: PlanNode[]
}

function listRead(node: PlanNode): string[] {
  const own =
    node['Relation Name']?.startsWith('events_') && node['Actual Loops'] > 0 ? [node['Relation Name']] : []
  return [...own, ...(node.Plans ?? []).flatMap(listRead)]
}

/** The partitions that PostgreSQL's cached plan of a prepared statement reads. */
async function listPartitionsRead(statement: string, params: Record<string, unknown>): Promise<string[]> {
  const made = declaredStatements.find(({ name }) => name === statement)
  if (!made) throw new Error(`No statement is called ${statement}`)
  const values = bindValues(made, { org_id, ...params }).map(value =>
    value === null ? 'null' : asApp.escapeLiteral(String(value)),
  )
  await asApp.query(`begin; set local app.org = '${org_id}'; set local plan_cache_mode = force_generic_plan`)
  try {
    await asApp.query(`prepare counted as ${made.text}`)
    const { rows } = await asApp.query(`explain (analyze, format json) execute counted(${values.join(', ')})`)
    return [...new Set(listRead(rows[0]['QUERY PLAN'][0].Plan))].sort()
  } finally {
    await asApp.query('rollback; deallocate all')
  }
}

describe('a page of the newest events', () => {
  const scan = {
    subject_id: null,
    before_id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
    not_before_id: '00000000-0000-0000-0000-000000000000',
    ...{ kinds: null, actor: null, from_at: null, to_at: null },
    ...{ max_examined: PAGE_SIZE, limit: PAGE_SIZE },
  }
  it.each([
    ['of the organization', 'audit_events.look', {}],
    ['of a flow', 'audit_events.look_at_flow', { subject_id: FLOW }],
  ])('%s reads the newest month with events, and no older one', async (_title, statement, more) => {
    const read = await listPartitionsRead(statement, { ...scan, ...more })
    expect(read).toContain(nameMonth(current))
    expect(read.filter(name => /^events_\d/.test(name) && name < nameMonth(current))).toEqual([])
    expect(read.filter(name => name.startsWith('events_before'))).toEqual([])
  })

  it('between two ids reads only the months between them', async () => {
    const [ids] = await app.sql('select first_event_id($1::date) as a, first_event_id($2::date) as b', [
      `${first}-01`,
      `${addMonth(first)}-01`,
    ])
    const read = await listPartitionsRead('audit_events.look', {
      ...scan,
      not_before_id: ids?.a,
      before_id: ids?.b,
    })
    expect(read).toEqual([nameMonth(first)])
  })
})

describe('the months', () => {
  it('cover the first event to three months ahead, and there is always a partition', async () => {
    const { attached } = await listEventTables(app.owner)
    expect(attached.map(({ name }) => name)[0]).toBe(`events_before_${first.replace('-', '_')}`)
    expect(attached.at(-1)).toMatchObject({ name: 'events_later', to: null })
    expect(attached).toHaveLength(1 + MONTHS + 3 + 1)
    for (const [i, table] of attached.slice(1).entries()) expect(table.from).toBe(attached[i]?.to)
    expect(await makeEventMonths(app.db)).toBe(0)
  })

  it('are created by the application, and take over their events from events_later', async () => {
    const before = await countEvents()
    const { attached } = await listEventTables(app.owner)
    const last = attached.at(-2)
    await app.sql(`alter table events detach partition events_later`)
    await app.sql(`drop table ${last?.name}`)
    await app.sql(
      `do $$ begin execute format('alter table events attach partition events_later for values from (%L) to (maxvalue)',
         first_event_id('${last?.from}-01')); end $$`,
    )
    await insertEvents(String(last?.from), 3)
    expect(await countEvents('events_later')).toBe(3)
    expect(await makeEventMonths(app.db)).toBe(1)
    expect(await countEvents('events_later')).toBe(0)
    expect(await countEvents(last?.name)).toBe(3)
    expect((await listEventTables(app.owner)).attached.map(({ name }) => name)).toEqual(
      attached.map(({ name }) => name),
    )
    expect(await prepareMonths(app.owner)).toBe(0)
    await app.sql(`delete from ${last?.name}`)
    expect(await countEvents()).toBe(before)
    expect((await checkIntegrity(app.owner)).filter(({ ok }) => !ok)).toEqual([])
  })

  it('are all that the application can create: it cannot split, detach or create tables', async () => {
    const attempts = [
      `select split_later_events('2100-01-01', null)`,
      `select create_event_table('mine')`,
      'alter table events detach partition events_later',
      'create table mine (a int)',
      'create schema waybill_archive',
    ]
    for (const attempt of attempts) {
      const refused = await asApp.query(attempt).catch(error => error)
      expect(refused.code, attempt).toBe('42501')
    }
    const [made] = await app.sql(
      `select pronargs, proconfig from pg_proc where proname = 'make_event_months' and prosecdef`,
    )
    expect(made).toEqual({
      pronargs: 0,
      proconfig: ['search_path=pg_catalog, public, pg_temp', 'lock_timeout=400ms'],
    })
  })
})

describe('detaching', () => {
  it('refuses the current month, and a month that no table begins with', async () => {
    await expect(detachMonths(app.owner, addMonth(current))).rejects.toThrow('Events are still recorded in')
    expect(await detachMonths(app.owner, '2001-01')).toEqual([])
  })

  it('moves whole months, unchanged, to where the application cannot read them; attaching brings them back', async () => {
    const before = await countEvents()
    const second = addMonth(first)
    const third = addMonth(second)
    const detached = await detachMonths(app.owner, third)
    expect(detached.map(({ name }) => name)).toEqual([
      `events_before_${first.replace('-', '_')}`,
      nameMonth(first),
      nameMonth(second),
    ])
    expect(await countEvents()).toBe(before - 2 * EVENTS_PER_MONTH)
    expect(await countEvents(`waybill_archive.${nameMonth(first)}`)).toBe(EVENTS_PER_MONTH)
    const refused = await asApp.query(`select from waybill_archive.${nameMonth(first)}`).catch(error => error)
    expect(refused.code).toBe('42501')
    expect(await readEventLayout(app.owner)).toEqual({ months_from: third, is_trimmed: true })
    // A clock that is far behind still finds a partition, and its event returns to its month.
    await app.sql(`delete from waybill_archive.${nameMonth(second)}`)
    await insertEvents(second, 1)
    expect(await countEvents('events_earlier')).toBe(1)
    const attached = await attachMonths(app.owner, second)
    expect(attached.map(({ name }) => name)).toEqual([nameMonth(second)])
    expect(await countEvents(nameMonth(second))).toBe(1)
    expect(await countEvents('events_earlier')).toBe(0)
    expect(await attachMonths(app.owner, '2001-01')).toHaveLength(2)
    expect((await listEventTables(app.owner)).detached).toEqual([])
    expect(await countEvents()).toBe(before - EVENTS_PER_MONTH + 1)
  })

  it('keeps the rest working: pages end, and a flow and the check continue without the events', async () => {
    expect((await app.admin.put('/flows/acme', { name: 'old', description: '' })).status).toBe(201)
    expect((await app.admin.put('/trails/acme/old', { name: 'run' })).status).toBe(201)
    await detachMonths(app.owner, current)
    const page = await app.admin.get('/audit-events/acme?per_page=100')
    expect(page.status).toBe(200)
    expect(page.body.events).toHaveLength(EVENTS_PER_MONTH)
    const flow = await app.admin.get('/flows/acme/old')
    expect(flow.body.latest_activity_at).toBe(flow.body.last_modified_at)
    expect((await checkIntegrity(app.owner)).filter(({ ok }) => !ok)).toEqual([])
  })

  it('does not keep the events of an organization that is purged', async () => {
    await app.owner.query('begin')
    const removed = await deleteOrgRows(app.owner, org_id)
    expect(removed[nameMonth(first)]).toBe(EVENTS_PER_MONTH)
    await app.owner.query('rollback')
  })
})

describe('admin events', () => {
  const runEvents = (...args: string[]) =>
    runProgram(['admin', 'events', ...args], {
      data_dir: makeDataDirectory(),
      env: { DATABASE_URL: buildDatabaseUrl(app.database) },
    })

  it('lists, attaches and detaches months, and explains what to do with the tables', async () => {
    const listed = await runEvents('list', '--json')
    expect(JSON.parse(listed.stdout).detached.map(({ name }: { name: string }) => name)).toContain(
      nameMonth(first),
    )
    const attached = await runEvents('attach', '--from', first)
    expect(attached).toMatchObject({ code: 0, stderr: '' })
    expect(attached.stdout).toContain(`attached ${nameMonth(first)}: events of ${first}`)
    const detached = await runEvents('detach', '--before', addMonth(first))
    expect(detached.stdout).toContain(`detached ${nameMonth(first)}: events of ${first}`)
    expect(detached.stdout).toContain(`DROP TABLE waybill_archive.${nameMonth(first)}`)
    expect((await runEvents('prepare')).stdout).toBe('made 0 months\n')
    const refused = await runEvents('detach', '--before', 'may')
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--before may is not a month') })
  })
})

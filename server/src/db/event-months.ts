// The months of the event log, for the owner: lists them, moves whole months to the schema waybill_archive and back,
// creates overdue months, and divides a restored log as it was. Nothing here deletes an event.
// docs/adr/0025-events-by-month.md has the reasons.
import pg from 'pg'
import { PATIENCE, runWithShortLocks } from './short-locks.ts'

export const ARCHIVE = 'waybill_archive'
const EARLIER = 'events_earlier'
const INSUFFICIENT_PRIVILEGE = '42501'

/** Why a request cannot be fulfilled, in a sentence for the operator. */
export class EventMonthsProblem extends Error {}

export interface EventTable {
  name: string
  /** The first month, such as 2027-01; null if it reaches back to the first event. */
  from: string | null
  /** The month after the last one; null if it has no end. */
  to: string | null
  /** An estimate by PostgreSQL. */
  rows: number
  bytes: number
}

export interface EventTables {
  attached: EventTable[]
  detached: EventTable[]
}

export async function listEventTables(owner: pg.Client): Promise<EventTables> {
  return { attached: await listAttached(owner), detached: await listDetached(owner) }
}

const SIZES = `greatest(c.reltuples, 0)::float8 as rows, pg_total_relation_size(c.oid)::float8 as bytes`
const toMonth = (id: string) => `to_char(month_of_event(${id}), 'YYYY-MM')`

async function listAttached(owner: pg.Client): Promise<EventTable[]> {
  const { rows } = await owner.query<EventTable>(`
    select c.relname::text as name, ${toMonth(`event_bound(c.relname, 'from')`)} as from,
      ${toMonth(`event_bound(c.relname, 'to')`)} as to, ${SIZES}
    from pg_inherits h join pg_class c on c.oid = h.inhrelid
    where h.inhparent = 'public.events'::regclass
    order by event_bound(c.relname, 'to') nulls last`)
  return rows
}

/** Detached tables no longer have bounds; their names tell which months they contain. */
async function listDetached(owner: pg.Client): Promise<EventTable[]> {
  const { rows } = await owner.query<Omit<EventTable, 'from' | 'to'>>(
    `select c.relname::text as name, ${SIZES} from pg_class c
     where c.relnamespace = to_regnamespace('${ARCHIVE}') and c.relkind = 'r' and c.relname ~ '^events_(before_)?\\d+_\\d\\d$'
     order by c.relname !~ 'before', c.relname`,
  )
  return rows.map(row => ({ ...row, ...parseName(row.name) }))
}

function parseName(name: string): Pick<EventTable, 'from' | 'to'> {
  const [, before, year = '', month = ''] = /^events_(before_)?(\d+)_(\d\d)$/.exec(name) ?? []
  const from = `${year}-${month}`
  return before ? { from: null, to: from } : { from, to: addMonth(from) }
}

export const nameMonth = (month: string) => `events_${month.replace('-', '_')}`

export function addMonth(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`
}

/** Compared as numbers, because an id may claim to be from the year 10000. */
const isAfter = (month: string, other: string) =>
  Number(month.replace('-', '')) > Number(other.replace('-', ''))

/**
 * Creates the current month and the next three, however many events have to be moved. Returns the number of new
 * ones.
 */
export async function prepareMonths(owner: pg.Client): Promise<number> {
  let made = 0
  for (let added = 1; added > 0; made += added) {
    added = await runWithShortLocks(owner, PATIENCE, 'the event log', async () => {
      const { rows } = await owner.query(
        `select split_later_events((date_trunc('month', now() at time zone 'UTC') + interval '4 months')::date, null)`,
      )
      return rows[0].split_later_events
    })
  }
  return made
}

/** Moves all months before this one to the archive, and returns their tables. */
export async function detachMonths(owner: pg.Client, before: string): Promise<EventTable[]> {
  await createArchive(owner)
  return runWithShortLocks(owner, PATIENCE, 'the event log', async () => {
    await owner.query('lock table only public.events in access exclusive mode')
    await refuseCurrentMonth(owner, before)
    const attached = await listAttached(owner)
    const leaving = attached.filter(({ name, to }) => name !== EARLIER && to !== null && !isAfter(to, before))
    if (leaving.length === 0) return []
    requireBorder(attached, before)
    for (const { name } of leaving) {
      await owner.query(`alter table public.events detach partition public.${name}`)
      await owner.query(`alter table public.${name} set schema ${ARCHIVE}`)
    }
    // Some process may have a clock that is far behind, so there is always a partition for it.
    if (!attached.some(({ name }) => name === EARLIER)) await createAttached(owner, EARLIER, null, before)
    else {
      await owner.query(`alter table public.events detach partition public.${EARLIER}`)
      await attach(owner, EARLIER, null, before)
    }
    return leaving
  })
}

async function createArchive(owner: pg.Client): Promise<void> {
  const { rows } = await owner.query(`select to_regnamespace('${ARCHIVE}') is not null as exists`)
  if (rows[0].exists) return
  await owner.query(`create schema if not exists ${ARCHIVE}`).catch((error: { code?: string }) => {
    if (error.code !== INSUFFICIENT_PRIVILEGE) throw error
    throw new EventMonthsProblem(
      `The user of DATABASE_URL may not create the schema ${ARCHIVE}: let a DBA create it, with that user as its owner`,
    )
  })
}

async function refuseCurrentMonth(owner: pg.Client, before: string): Promise<void> {
  const { rows } = await owner.query(`select to_char(now() at time zone 'UTC', 'YYYY-MM') as current`)
  if (!isAfter(before, rows[0].current)) return
  throw new EventMonthsProblem(
    `Events are still recorded in ${rows[0].current}: detach at most --before ${rows[0].current}`,
  )
}

/** Everything before the first month is one table, which cannot be divided. */
function requireBorder(attached: readonly EventTable[], before: string): void {
  if (attached.some(({ to }) => to === before)) return
  const borders = attached.flatMap(({ to }) => to ?? [])
  throw new EventMonthsProblem(`No month begins at ${before}; months begin at ${borders.join(', ')}`)
}

/** Moves this detached month and all later ones back to the event log, and returns their tables. */
export async function attachMonths(owner: pg.Client, from: string): Promise<EventTable[]> {
  const { attached, detached } = await listEventTables(owner)
  const start = attached.find(({ name }) => name === EARLIER)?.to
  const coming = detached.filter(({ to }) => to !== null && isAfter(to, from))
  if (coming.length === 0) return []
  if (typeof start !== 'string' || coming.some(({ to }) => to !== null && isAfter(to, start))) {
    throw new EventMonthsProblem(
      'The event log has some of these months already: rename or drop their detached tables',
    )
  }
  // Checks the tables before anything is locked, so that attaching them reads nothing.
  for (const table of coming) await checkBounds(owner, table)
  return runWithShortLocks(owner, PATIENCE, 'the event log', async () => {
    await owner.query('lock table only public.events in access exclusive mode')
    await owner.query(`alter table public.events detach partition public.${EARLIER}`)
    for (const { name, from: first, to } of coming) {
      await owner.query(`alter table ${ARCHIVE}.${name} set schema public`)
      await attach(owner, name, first, to)
      await owner.query(`alter table public.${name} drop constraint is_in_bounds`)
    }
    await fillGaps(owner, coming, start)
    return coming
  })
}

async function checkBounds(owner: pg.Client, { name, from, to }: EventTable): Promise<void> {
  const bounds = [
    ...(from === null ? [] : [`event_id >= ${await quoteBound(owner, from)}`]),
    ...(to === null ? [] : [`event_id < ${await quoteBound(owner, to)}`]),
  ]
  await owner.query(`
    alter table ${ARCHIVE}.${name} drop constraint if exists is_in_bounds;
    alter table ${ARCHIVE}.${name} add constraint is_in_bounds check (${bounds.join(' and ')})`)
}

/** Recreates dropped months as empty tables, and moves events that belong to them. */
async function fillGaps(owner: pg.Client, coming: readonly EventTable[], start: string): Promise<void> {
  const has = new Set(coming.map(({ name }) => name))
  const [oldest] = coming
  for (let month = oldest?.from ?? oldest?.to ?? start; isAfter(start, month); month = addMonth(month)) {
    const name = nameMonth(month)
    if (has.has(name)) continue
    await createAttached(owner, name, month, addMonth(month))
  }
  if (oldest?.from != null) {
    await owner.query(`alter table public.${EARLIER} rename to events_to_sort`)
    await createAttached(owner, EARLIER, null, oldest.from)
    await owner.query('insert into public.events select * from public.events_to_sort')
    await owner.query('drop table public.events_to_sort')
    return
  }
  await owner.query(`insert into public.events select * from public.${EARLIER}`)
  await owner.query(`drop table public.${EARLIER}`)
}

/** The division into tables, so that a restored database has the same months. */
export interface EventLayout {
  /** The first month with its own table. */
  months_from: string
  /** Whether the events before that month were detached. */
  is_trimmed: boolean
}

export async function readEventLayout(owner: pg.Client): Promise<EventLayout> {
  const [first] = await listAttached(owner)
  return { months_from: first?.to ?? '', is_trimmed: first?.name === EARLIER }
}

/** Divides an empty event log like a backup's. */
export async function layOutMonths(
  owner: pg.Client,
  { months_from, is_trimmed }: EventLayout,
): Promise<void> {
  await runWithShortLocks(owner, PATIENCE, 'the event log', async () => {
    const [first] = await listAttached(owner)
    if (typeof first?.to !== 'string' || isAfter(months_from, first.to)) return
    await owner.query(`alter table public.events detach partition public.${first.name}`)
    await owner.query(`drop table public.${first.name}`)
    const name = is_trimmed ? EARLIER : `events_before_${months_from.replace('-', '_')}`
    await createAttached(owner, name, null, months_from)
    for (let month = months_from; isAfter(first.to, month); month = addMonth(month)) {
      await createAttached(owner, nameMonth(month), month, addMonth(month))
    }
  })
}

async function createAttached(
  owner: pg.Client,
  name: string,
  from: string | null,
  to: string | null,
): Promise<void> {
  await owner.query('select create_event_table($1)', [name])
  await attach(owner, name, from, to)
}

async function attach(owner: pg.Client, name: string, from: string | null, to: string | null): Promise<void> {
  const first = from === null ? 'minvalue' : await quoteBound(owner, from)
  const end = to === null ? 'maxvalue' : await quoteBound(owner, to)
  await owner.query(
    `alter table public.events attach partition public.${name} for values from (${first}) to (${end})`,
  )
}

async function quoteBound(owner: pg.Client, month: string): Promise<string> {
  const { rows } = await owner.query(`select first_event_id($1::date) as id`, [`${month}-01`])
  return pg.escapeLiteral(rows[0].id)
}

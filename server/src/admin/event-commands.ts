// The commands of `waybill admin events`: listing the months of the event log, and moving old ones out of it and
// back.
import type { Command } from 'commander'
import type pg from 'pg'
import {
  ARCHIVE,
  attachMonths,
  detachMonths,
  EventMonthsProblem,
  type EventTable,
  listEventTables,
  prepareMonths,
} from '../db/event-months.ts'
import { migrateCluster } from '../db/open.ts'
import { AdminProblem } from './actor.ts'
import { type AdminParts, type Output, print, withCluster, withOwner } from './run.ts'

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/

export function addEventCommands(admin: Command, parts: AdminParts): void {
  const events = admin.command('events').description('the event log, which has one table for each month')
  const add = (name: string, work: (owner: pg.Client, options: MonthOptions) => Promise<Output>) =>
    events
      .command(name)
      .option('--json', 'print JSON')
      .action((options: MonthOptions & { json?: boolean }) =>
        withCluster(parts, async cluster => {
          await migrateCluster(cluster)
          print(parts, options, await withOwner(cluster, owner => explain(work(owner, options))))
        }),
      )

  add('list', listMonths).description('list the months that are kept and those that are detached')
  add('detach', detach)
    .requiredOption('--before <month>', 'the first month to keep, such as 2027-01')
    .description(`move whole months out of the event log, to tables in the schema ${ARCHIVE}`)
  add('attach', attach)
    .requiredOption('--from <month>', 'the first month to bring back, such as 2026-01')
    .description('move detached months back into the event log')
  add('prepare', prepare).description('create the coming months now; the service also does this regularly')
}

interface MonthOptions {
  before?: string
  from?: string
}

async function explain(output: Promise<Output>): Promise<Output> {
  return output.catch(error => {
    throw error instanceof EventMonthsProblem ? new AdminProblem(error.message) : error
  })
}

async function listMonths(owner: pg.Client): Promise<Output> {
  const tables = await listEventTables(owner)
  const format = (state: string) => (table: EventTable) =>
    `${state}  ${table.name.padEnd(22)} ${describeMonths(table).padEnd(20)} about ${table.rows} events, ${table.bytes} bytes`
  return {
    lines: [...tables.detached.map(format('detached')), ...tables.attached.map(format('kept    '))],
    json: tables,
  }
}

async function detach(owner: pg.Client, { before = '' }: MonthOptions): Promise<Output> {
  const detached = await detachMonths(owner, requireMonth('--before', before))
  if (detached.length === 0) return { lines: ['nothing to detach'], json: { detached } }
  const [{ name } = { name: '' }] = detached
  return {
    lines: [
      ...detached.map(table => `detached ${table.name}: ${describeMonths(table)}`),
      '',
      `Nothing was deleted: the tables are in the schema ${ARCHIVE}. To keep one elsewhere and free its space:`,
      '',
      `  pg_dump -Fc --enable-row-security -t ${ARCHIVE}.${name} "$DATABASE_URL" > ${name}.dump`,
      `  psql "$DATABASE_URL" -c 'DROP TABLE ${ARCHIVE}.${name}'`,
      '',
      `To bring them back: waybill admin events attach --from MONTH`,
    ],
    json: { detached },
  }
}

async function attach(owner: pg.Client, { from = '' }: MonthOptions): Promise<Output> {
  const attached = await attachMonths(owner, requireMonth('--from', from))
  const lines = attached.map(table => `attached ${table.name}: ${describeMonths(table)}`)
  return { lines: lines.length > 0 ? lines : ['nothing to attach'], json: { attached } }
}

async function prepare(owner: pg.Client): Promise<Output> {
  const made = await prepareMonths(owner)
  return { lines: [made === 1 ? 'made 1 month' : `made ${made} months`], json: { made } }
}

function requireMonth(option: string, value: string): string {
  if (MONTH.test(value)) return value
  throw new AdminProblem(`${option} ${value} is not a month: write it like 2027-01`)
}

function describeMonths({ from, to }: EventTable): string {
  if (from === null) return `events before ${to}`
  return to === null ? `events from ${from} on` : `events of ${from}`
}

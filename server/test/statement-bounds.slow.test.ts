// Every statement reads about as many rows as its result needs, in an organization with many rows in every table
// beside another one of the same size. `npm run bench -- statements` does the same with many more rows.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Bound, Statement } from '../src/db/statement.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { computesValue } from './index-conditions.ts'
import { HOLDERS, multiplyRows } from './large-org.ts'
import { loadStatements } from './load-statements.ts'
import { readColumns } from './read-columns.ts'
import type { SentQuery } from './sent-queries.ts'
import { type Cost, type CostMeter, startCostMeter } from './statement-cost.ts'
import { borrowValues, recordScenario } from './statement-scenario.ts'

const ROWS = Number(process.env.STATEMENT_ROWS ?? 5_000)
/** The suite has so few that PostgreSQL is right to read all of them; the bench has enough to count them. */
const HOLDERS_PER_ORG = Math.ceil(ROWS / 100)
const FEW_ROWS = 500
/** Looking up one row may read some of several tables. */
const ROWS_PER_ROW = 10
/** A fixed cost, below the rows of one table. */
const ALWAYS = ROWS / 2
const PAGES_PER_ROW = 4
const CPU_OPERATOR_COST = 0.0025
const PAGE_PARAMS = ['limit', 'most', 'offset', 'max_examined']
/** For each statement; the scenario sends some hundreds of times. */
const SAMPLES = 2

const INSERTS = 'inserts rows that exist already after the scenario, and looks none up'
const AS_OWNER = 'runs as the owner of the schema'
const OWNER = `${AS_OWNER}, on the one row of its key`
/** Statements that cannot run here, with the reason. */
const NOT_MEASURED: Record<string, string> = {
  'attestations.insert_files': INSERTS,
  'breakers.save': INSERTS,
  'clock.reset': `${AS_OWNER}, on the only row`,
  'clock.store': 'changes the only row',
  'controls.insert_versions': INSERTS,
  'expiring_decisions.insert': INSERTS,
  'flow_notifications.add_flows': INSERTS,
  'freeze.put': OWNER,
  'freeze.remove': OWNER,
  'freeze.set_moved': OWNER,
  'keys.insert_personal': INSERTS,
  'keys.insert_service_account_key': INSERTS,
  'log.reopen': OWNER,
  'log.restart_history_import': OWNER,
  'log.set_host': OWNER,
  'notifications.insert': INSERTS,
  'org_people.insert': INSERTS,
  'orgs.save_quotas': OWNER,
  'replica.has_replayed': 'reads no table',
  'badges.insert': INSERTS,
  'scim_tokens.insert': INSERTS,
  'sessions.insert': INSERTS,
  'sponsors.save_opener': INSERTS,
  'signin.insert_attempt': INSERTS,
  'signin.insert_handed_link': INSERTS,
  'signin.insert_mailed_link': INSERTS,
  'signin.take_attempt': 'deletes the one row of its key',
  'snapshots.insert_logical': INSERTS,
  'users.insert_proof': INSERTS,
  'workers.record': INSERTS,
}

/**
 * Reads more until its tables are analyzed, which the service does itself as they grow: a caller who is looked up again in
 * the scope of an organization may also see the CI keys of that organization (docs/performance.md).
 */
const UNTIL_ANALYZED = new Set(['keys.find_by_key'])

const runsAsOwner = (name: string): boolean => NOT_MEASURED[name]?.startsWith(AS_OWNER) ?? false

type AnyStatement = Statement<unknown, unknown>

let app: TestApp
let meter: CostMeter
let statements: AnyStatement[]
/** Statements that are planned once for all values, by a pipeline or because they request it. */
const generic = new Set<string>()
const samples = new Map<string, SentQuery[]>()

beforeAll(async () => {
  app = await startTestApp()
  statements = await loadStatements()
  const recorded = await recordScenario(app)
  for (const statement of statements) {
    const sent = (recorded.get(statement.name) ?? []).map(query => readColumns(statement, query))
    const isSentSo = sent.some(({ plans }) => plans === 'force_generic_plan')
    if (isSentSo || statement.cost.plan === 'generic') generic.add(statement.name)
    const borrowed = sent.length > 0 ? undefined : borrowValues(statement, statements, recorded)
    samples.set(
      statement.name,
      borrowed ? [readColumns(statement, borrowed)] : [...sent.slice(0, 1), ...sent.slice(1 - SAMPLES)],
    )
  }
  await multiplyRows(app, { rows: ROWS, holders: HOLDERS_PER_ORG })
  meter = await startCostMeter(app)
})
afterAll(async () => {
  await meter.stop()
  await app.stop()
})

describe('a large organization', () => {
  it('without statistics: statements with a plan for all values stay within their bounds', async () => {
    expect(generic.size).toBeGreaterThan(10)
    const problems = []
    for (const statement of statements.filter(({ name }) => generic.has(name) && !UNTIL_ANALYZED.has(name)))
      problems.push(...(await findProblems(statement)))
    expect(problems).toEqual([])
  })

  it('with statistics: every statement stays within its bound', async () => {
    await app.sql('analyze')
    const problems = []
    for (const statement of statements) problems.push(...(await findProblems(statement)))
    expect(problems).toEqual([])
  })

  it('has no statement that computes an index look-up value from another row', async () => {
    const conditions = new Map<string, string[]>()
    for (const statement of statements.filter(({ name }) => !runsAsOwner(name)))
      conditions.set(statement.name, await meter.listIndexConditions(statement))
    expect([...conditions.values()].flat().length).toBeGreaterThan(statements.length)
    const problems = [...conditions].flatMap(([name, all]) =>
      all.filter(computesValue).map(condition => `${name}: ${condition}`),
    )
    expect(problems).toEqual([])
  })
})

async function findProblems(statement: AnyStatement): Promise<string[]> {
  const problems = new Set<string>()
  let runs = 0
  for (const sent of samples.get(statement.name) ?? []) {
    for (const cost of await measure(statement, sent)) {
      runs++
      const allowed = computeAllowed(statement, sent, cost)
      if (cost.touched - countSmall(cost) > allowed || cost.pages > allowed * PAGES_PER_ROW)
        problems.add(`${statement.name} ${describeCost(cost)}, but ${allowed} rows are enough`)
    }
  }
  if (runs === 0 && !NOT_MEASURED[statement.name]) problems.add(`${statement.name} could not run`)
  if (runs > 0 && NOT_MEASURED[statement.name]) problems.add(`${statement.name} runs: remove the exception`)
  return [...problems]
}

const keepCosts = (cost: Cost | Error): Cost[] => (cost instanceof Error ? [] : [cost])

/** With both plans that PostgreSQL may use: the one for these values, and the one for all values. */
async function measure(statement: AnyStatement, sent: SentQuery): Promise<Cost[]> {
  if (statement.cost.plan === 'custom')
    return keepCosts(await meter.measure(statement, sent, 'force_custom_plan'))
  const one = await meter.measure(statement, sent, 'force_generic_plan')
  if (one instanceof Error) return []
  if (generic.has(statement.name)) return [one]
  const custom = await meter.measure(statement, sent, 'force_custom_plan')
  if (custom instanceof Error) return []
  const scans = [...custom.tables.values()].reduce((sum, table) => sum + table.scans, 0)
  // PostgreSQL keeps the plan for all values unless planning for each costs less; this is its own formula.
  const planning = 1000 * CPU_OPERATOR_COST * (scans + 1)
  return one.estimate < custom.estimate + planning ? [one, custom] : [custom]
}

function computeAllowed(statement: AnyStatement, sent: SentQuery, { result, tables }: Cost): number {
  const bound: Bound = statement.cost.reads
  if (typeof bound === 'object') return countWhole(tables)
  const keys = sent.values.reduce<number>((sum, value) => sum + countItems(value), 0)
  const asked = bound === 'page' ? PAGE_PARAMS.map(name => getNumber(statement, sent, name)) : []
  return ROWS_PER_ROW * asked.reduce((sum, rows) => sum + rows, result + keys) + ALWAYS
}

/** All rows of each table that the plan scans, and as many again that it compares. Loops over a table are more. */
function countWhole(tables: Cost['tables']): number {
  const scans = [...tables.values()].reduce((sum, table) => sum + table.scans, 0)
  return scans * ROWS * 2 * 2 + ALWAYS
}

function countSmall({ tables }: Cost): number {
  if (HOLDERS_PER_ORG > FEW_ROWS) return 0
  return HOLDERS.reduce((sum, table) => sum + (tables.get(table)?.touched ?? 0), 0)
}

function countItems(value: unknown): number {
  if (Array.isArray(value)) return value.length
  return typeof value === 'string' && value.startsWith('[') ? JSON.parse(value).length : 0
}

function getNumber({ order }: AnyStatement, { values }: SentQuery, param: string): number {
  return Number(values[order.indexOf(param)] ?? 0)
}

function describeCost({ touched, pages, result, tables }: Cost): string {
  const most = [...tables].filter(([, table]) => table.touched > ALWAYS / 4)
  const list = most.map(([name, table]) => `${name} ${Math.round(table.touched)}`).join(', ')
  return `touches ${Math.round(touched)} rows and ${pages} pages for ${result} (${list})`
}

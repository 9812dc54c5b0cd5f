// Counts the rows and pages that PostgreSQL touches for a recorded statement, as the application role with row-level
// security. Everything is rolled back.
import { randomBytes, randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import type { Statement } from '../src/db/statement.ts'
import { APP_PASSWORD } from './cluster.ts'
import { PATIENT_TRANSACTIONS, type TestApp } from './harness.ts'
import { listIndexConditions, readIndexes } from './index-conditions.ts'
import type { SentQuery } from './sent-queries.ts'
import { buildSessionOptions } from './session-options.ts'

/** How PostgreSQL plans: for these values, or once for all values, as it does after some calls. */
type Plans = 'force_custom_plan' | 'force_generic_plan'

export interface Cost {
  /** Read or compared, in every part of the plan. */
  touched: number
  /** Returned or changed. */
  result: number
  /** Pages of 8 kB. */
  pages: number
  /** The planner's cost estimate, in its own unit. */
  estimate: number
  /** The same rows by table, and how often the plan scans it. */
  tables: Map<string, { touched: number; scans: number }>
}

export interface CostMeter {
  /** Returns PostgreSQL's error if the statement cannot run again, such as an insert of the same row. */
  measure(statement: Statement<unknown, unknown>, sent: SentQuery, plans: Plans): Promise<Cost | Error>
  /** The conditions of the plan for all values that use an index, or could use one. */
  listIndexConditions(statement: Statement<unknown, unknown>): Promise<string[]>
  stop(): Promise<void>
}

export async function startCostMeter(app: TestApp): Promise<CostMeter> {
  const user = { user: 'waybill_app', password: APP_PASSWORD }
  const options = buildSessionOptions(PATIENT_TRANSACTIONS)
  const client = new pg.Client({ ...inject('cluster'), database: app.database, ...user, options })
  await client.connect()
  const indexes = await readIndexes(client)
  const prepared = new Map<string, string>()
  return {
    measure: async (statement, sent, plans) => {
      if (!prepared.has(statement.name)) {
        prepared.set(statement.name, `s${prepared.size}`)
        await client.query(`prepare ${prepared.get(statement.name)} as ${statement.text}`)
      }
      const execute = (values: unknown[]) =>
        explain(client, prepared.get(statement.name) ?? '', { ...sent, values }, plans)
      return repeat(execute, values => findConflict(app, statement, values), [...sent.values])
    },
    listIndexConditions: statement => listIndexConditions(client, statement, indexes),
    stop: () => client.end(),
  }
}

const UNIQUE_VIOLATION = '23505'
const MAX_CONFLICTS = 6

async function repeat(
  execute: (values: unknown[]) => Promise<Cost>,
  find: (values: unknown[]) => Promise<string>,
  sent: unknown[],
): Promise<Cost | Error> {
  let values = sent
  for (let turn = 0; ; turn++) {
    try {
      return await execute(values)
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error
      if (error.code !== UNIQUE_VIOLATION || turn === MAX_CONFLICTS) return error
      values = renew(values, await find(values))
    }
  }
}

/** The existing key. Row-level security hides it from the application role. */
async function findConflict(
  app: TestApp,
  { text }: Statement<unknown, unknown>,
  values: unknown[],
): Promise<string> {
  await app.owner.query('begin')
  try {
    await app.owner.query(text, values)
    return ''
  } catch (error) {
    return error instanceof pg.DatabaseError ? (error.detail ?? '') : ''
  } finally {
    await app.owner.query('rollback')
  }
}

async function explain(client: pg.Client, name: string, { values, scope, before }: SentQuery, plans: Plans) {
  await client.query('begin')
  try {
    await client.query(scope.text, scope.values)
    for (const query of before) await client.query(query.text, query.values)
    await client.query(`set local plan_cache_mode = ${plans}`)
    const list = values.map(value => formatLiteral(client, value)).join(', ')
    const { rows } = await client.query(
      `explain (analyze, buffers, timing off, format json) execute ${name}${list === '' ? '' : `(${list})`}`,
    )
    return sumCost(rows[0]['QUERY PLAN'][0].Plan)
  } finally {
    await client.query('rollback')
  }
}

/** Replaces the values of the existing key, so that an insert can run once more. */
function renew(values: unknown[], detail: string): unknown[] {
  const existing = /\)=\((.*)\) already exists/.exec(detail)?.[1]?.split(', ') ?? []
  // The last part of the key identifies the row; the first is its organization.
  const old = existing.at(-1)
  if (!old) return values
  const fresh = /^[0-9a-f-]{36}$/.test(old) ? randomUUID() : `${old}-new`
  // As a whole word only: a random UUID may contain a short name, such as "ada".
  const word = new RegExp(`(?<![\\w-])${old.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-])`, 'g')
  return values.map(value => {
    if (Buffer.isBuffer(value))
      return `\\x${value.toString('hex')}` === old ? randomBytes(value.length) : value
    if (typeof value === 'number') return String(value) === old ? value + 1_000_000 : value
    if (Array.isArray(value)) return value.map(item => (item === old ? fresh : item))
    if (typeof value !== 'string') return value
    return value.replaceAll(word, () => fresh)
  })
}

function formatLiteral(client: pg.Client, value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return client.escapeLiteral(`{${value.map(formatElement).join(',')}}`)
  if (Buffer.isBuffer(value)) return client.escapeLiteral(`\\x${value.toString('hex')}`)
  return client.escapeLiteral(value instanceof Date ? value.toISOString() : String(value))
}

function formatElement(item: unknown): string {
  if (item === null || item === undefined) return 'null'
  if (Array.isArray(item)) return `{${item.map(formatElement).join(',')}}`
  if (item instanceof Date) return item.toISOString()
  return `"${String(item).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

interface PlanNode {
  'Node Type': string
  'Total Cost': number
  'Actual Rows': number
  'Actual Loops': number
  'Relation Name'?: string
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: PlanNode[]
}

const MODIFIES = 'ModifyTable'

function sumCost(root: PlanNode): Cost {
  const tables: Cost['tables'] = new Map()
  const touched = sumTouched(root, tables)
  const source = root['Node Type'] === MODIFIES && root['Actual Rows'] === 0 ? root.Plans?.[0] : root
  const result = Math.ceil((source ?? root)['Actual Rows'] * (source ?? root)['Actual Loops'])
  return {
    touched,
    result,
    estimate: root['Total Cost'],
    pages: root['Shared Hit Blocks'] + root['Shared Read Blocks'],
    tables,
  }
}

/** Leaves read rows; every other node only passes them on, or compares them and drops some. */
function sumTouched(node: PlanNode, tables: Cost['tables']): number {
  const removed =
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0)
  const inner = node.Plans ?? []
  const reads = node['Relation Name'] !== undefined && node['Node Type'] !== MODIFIES
  // A Materialize node is read again and again by the loop above it.
  const passes = !reads && inner.length > 0 && node['Node Type'] !== 'Materialize'
  const own = ((passes ? 0 : node['Actual Rows']) + removed) * node['Actual Loops']
  const table = node['Relation Name']
  if (reads && table !== undefined) {
    const sum = tables.get(table) ?? { touched: 0, scans: 0 }
    tables.set(table, { touched: sum.touched + own, scans: sum.scans + 1 })
  }
  return inner.reduce((sum, each) => sum + sumTouched(each, tables), own)
}

// Counts the rows that PostgreSQL reads for a statement: its cost in rows, not in time.
import pg from 'pg'
import { inject } from 'vitest'
import { bindValues, declaredStatements } from '../src/db/statement.ts'
import { APP_PASSWORD } from './cluster.ts'
import { PATIENT_TRANSACTIONS, type TestApp } from './harness.ts'
import { buildSessionOptions } from './session-options.ts'

// After five runs, PostgreSQL may switch to a plan that fits all values.
const RUNS = 7

export interface Run {
  /** The name of a declared statement. */
  statement: string
  params: Record<string, unknown>
  /** The setting for row-level security. */
  scope: { org: string } | { worker: string }
  /** The table whose rows are counted. */
  table: string
}

/** The highest number of rows in several runs, sent as the pool would. Everything is rolled back. */
export async function countRowsRead(app: TestApp, run: Run): Promise<number> {
  const made = declaredStatements.find(({ name }) => name === run.statement)
  if (!made) throw new Error(`No statement is called ${run.statement}`)
  const database = String((await app.sql('select current_database() as name'))[0]?.name)
  const options = buildSessionOptions(PATIENT_TRANSACTIONS)
  const user = { user: 'waybill_app', password: APP_PASSWORD, options }
  const client = new pg.Client({ ...inject('cluster'), database, ...user })
  await client.connect()
  try {
    const values = bindValues(made, run.params).map(value => formatLiteral(client, value))
    const [[name, value] = ['', '']] = Object.entries(run.scope)
    await client.query(`begin; set local app.${name} = ${client.escapeLiteral(value)}`)
    await client.query(`prepare counted as ${made.text}`)
    const counts: number[] = []
    for (let turn = 0; turn < RUNS; turn++) {
      const { rows } = await client.query(
        `explain (analyze, format json) execute counted${values.length === 0 ? '' : `(${values.join(', ')})`}`,
      )
      counts.push(sumRows(rows[0]['QUERY PLAN'][0].Plan, run.table))
    }
    return Math.max(...counts)
  } finally {
    await client.end()
  }
}

function formatLiteral(client: pg.Client, value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return client.escapeLiteral(`{${value.join(',')}}`)
  return client.escapeLiteral(value instanceof Date ? value.toISOString() : String(value))
}

interface PlanNode {
  'Actual Rows': number
  'Actual Loops': number
  'Relation Name'?: string
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

function sumRows(node: PlanNode, table: string): number {
  const own = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
  const below = (node.Plans ?? []).map(inner => sumRows(inner, table)).reduce((sum, rows) => sum + rows, 0)
  return below + (node['Relation Name'] === table ? own : 0)
}

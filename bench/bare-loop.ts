// The baseline: a statement of the service on sixteen `pg` connections, without the service. `transaction` pipelines
// BEGIN with SET LOCAL, the prepared statement and COMMIT, which is the usual way with this driver. `statement` sets
// the org once per connection and then sends only the prepared statement, which is the minimum.

import type { DatabaseAddress } from '@waybill/embedded-postgres'
import pg from 'pg'
import type { Db } from '../server/src/db/database.ts'
import { bindValues, type Statement } from '../server/src/db/statement.ts'
import { buildSessionOptions } from '../server/test/session-options.ts'
import type { BenchService } from './bench-service.ts'
import type { Rate } from './http-load.ts'

const CONNECTIONS = 16

export interface BareWork {
  /** Calls the store with a database that only records, so that the baseline always measures the same statement. */
  call(recorder: Db, org_id: string): Promise<unknown>
  /** The parameters that differ from one execution to the next. */
  makeParams(): Record<string, unknown>
}

export interface BareLoop {
  transaction(duration_ms: number): Promise<Rate>
  statement(duration_ms: number): Promise<Rate>
  end(): Promise<void>
}

export async function openBareLoop(service: BenchService, work: BareWork): Promise<BareLoop> {
  const { owner, app } = await service.readDatabaseAddresses()
  const org_id = await findSharedOrg(owner)
  const { query, nextValues } = await recordStatement(work, org_id)
  const in_transaction = await connect(app)
  const alone = await connect(app)
  await Promise.all(alone.map(client => client.query(`set app.org = '${org_id}'`)))
  return {
    transaction: duration_ms =>
      runTurns(in_transaction, duration_ms, async client => {
        const [, , committed] = await Promise.all([
          client.query(`begin; set local app.org = '${org_id}'`),
          client.query({ ...query, values: nextValues() }),
          client.query('commit'),
        ])
        if (committed.command !== 'COMMIT') throw new Error('The bare loop did not commit')
      }),
    statement: duration_ms =>
      runTurns(alone, duration_ms, client => client.query({ ...query, values: nextValues() })),
    end: async () => {
      await Promise.all([...in_transaction, ...alone].map(client => client.end()))
    },
  }
}

async function connect(address: DatabaseAddress): Promise<pg.Client[]> {
  const pipelined = { pipeline: true }
  const clients = Array.from(
    { length: CONNECTIONS },
    () => new pg.Client({ ...address, ...pipelined, options: buildSessionOptions() }),
  )
  await Promise.all(clients.map(client => client.connect()))
  return clients
}

async function runTurns(
  clients: pg.Client[],
  duration_ms: number,
  turn: (client: pg.Client) => Promise<unknown>,
): Promise<Rate> {
  const started_ms = performance.now()
  let requests = 0
  const keepGoing = async (client: pg.Client) => {
    for (; performance.now() < started_ms + duration_ms; requests++) await turn(client)
  }
  await Promise.all(clients.map(keepGoing))
  return { requests, per_second: (requests / (performance.now() - started_ms)) * 1000 }
}

async function recordStatement(work: BareWork, org_id: string) {
  const recorded: { statement: Statement<unknown, unknown>; values: unknown[] }[] = []
  const recorder: Db = {
    run: async (statement, params) => {
      const recordedStatement = statement as Statement<unknown, unknown>
      recorded.push({
        statement: recordedStatement,
        values: bindValues(recordedStatement, params as Record<string, unknown>),
      })
      return []
    },
    runSteps: () => Promise.reject(new Error('The bare loop measures one statement')),
    expectRows: () => undefined,
  }
  await work.call(recorder, org_id)
  const [first] = recorded
  if (!first) throw new Error('The store sent no statement')
  const { name, text, order } = first.statement
  const nextValues = () => {
    const values = [...first.values]
    for (const [param, value] of Object.entries(work.makeParams())) values[order.indexOf(param)] = value
    return values
  }
  return { query: { name, text }, nextValues }
}

async function findSharedOrg(owner: DatabaseAddress): Promise<string> {
  const client = new pg.Client(owner)
  await client.connect()
  const { rows } = await client.query("select org_id from orgs where kind = 'shared'")
  await client.end()
  return rows[0].org_id
}

// The baseline for batches: the statements of one batch as a pipelined transaction on sixteen `pg` connections, without
// the service and without batching.
import pg from 'pg'
import type { Pipeline } from '../server/src/db/database.ts'
import { buildSessionOptions } from '../server/test/session-options.ts'
import type { BenchService } from './bench-service.ts'
import type { Rate } from './http-load.ts'

const CONNECTIONS = 16

export interface BareBatch {
  run(duration_ms: number): Promise<Rate>
  end(): Promise<void>
}

/** `makePipeline` returns the statements of the next transaction, each time with new values. */
export async function openBareBatch(
  service: BenchService,
  makePipeline: (org_id: string) => Pipeline<unknown>,
): Promise<BareBatch> {
  const { owner, app } = await service.readDatabaseAddresses()
  const org_id = await findSharedOrg(owner)
  const pipelined = { pipeline: true }
  const clients = Array.from(
    { length: CONNECTIONS },
    () => new pg.Client({ ...app, ...pipelined, options: buildSessionOptions() }),
  )
  // If the service stops first, its database closes these connections; the error to report is what stopped it.
  for (const client of clients) client.on('error', () => undefined)
  await Promise.all(clients.map(client => client.connect()))
  return {
    run: async duration_ms => {
      const started_ms = performance.now()
      let requests = 0
      const keepGoing = async (client: pg.Client) => {
        for (; performance.now() < started_ms + duration_ms; requests++)
          await send(client, org_id, makePipeline(org_id))
      }
      await Promise.all(clients.map(keepGoing))
      return { requests, per_second: (requests / (performance.now() - started_ms)) * 1000 }
    },
    end: async () => {
      await Promise.all(clients.map(client => client.end()))
    },
  }
}

async function send(client: pg.Client, org_id: string, { reads, decide }: Pipeline<unknown>): Promise<void> {
  const [, ...read] = await Promise.all([
    client.query(`begin; set local app.org = '${org_id}'`),
    ...reads.map(step => client.query(step)),
  ])
  const { writes } = decide(read.map(({ rows }) => rows))
  const answers = await Promise.all([...writes.map(step => client.query(step)), client.query('commit')])
  if (answers.at(-1)?.command !== 'COMMIT') throw new Error('The bare loop did not commit')
}

async function findSharedOrg(owner: pg.ClientConfig): Promise<string> {
  const client = new pg.Client(owner)
  await client.connect()
  const { rows } = await client.query("select org_id from orgs where kind = 'shared'")
  await client.end()
  return rows[0].org_id
}

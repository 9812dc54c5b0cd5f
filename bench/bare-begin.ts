// The yardstick of begin-trail: the statement of the service itself, on sixteen connections, with nothing around it. Each
// turn is one flight as `Database.once` sends it: the org for row-level security, the prepared statement, the commit.
import pg from 'pg'
import { beginTrail, type NewTrail } from '../server/src/api/trails/store.ts'
import type { DatabaseAddress } from '../server/src/db/embedded/embedded.ts'
import { type Statement, valuesOf } from '../server/src/db/statement.ts'
import { systemClock } from '../server/src/lib/clock.ts'
import { makeIds } from '../server/src/lib/ids.ts'
import type { BenchService } from './bench-service.ts'
import type { Rate } from './http-load.ts'
import { FLOW, TRAIL_FIELDS } from './sample-trail.ts'

const CONNECTIONS = 16

export interface BareLoop {
  run(duration_ms: number): Promise<Rate>
  end(): Promise<void>
}

export async function openBareLoop(service: BenchService): Promise<BareLoop> {
  const { owner, app } = await service.databaseAddresses()
  const org_id = await firstSharedOrg(owner)
  const pipelined = { pipeline: true }
  const clients = Array.from({ length: CONNECTIONS }, () => new pg.Client({ ...app, ...pipelined }))
  await Promise.all(clients.map(client => client.connect()))
  const { query, nextValues } = await capture(org_id)
  const turn = async (client: pg.Client) => {
    const [, , committed] = await Promise.all([
      client.query(`begin; set local app.org = '${org_id}'`),
      client.query({ ...query, values: nextValues() }),
      client.query('commit'),
    ])
    if (committed.command !== 'COMMIT') throw new Error('The bare loop did not commit')
  }
  return {
    run: duration_ms => turns(clients, turn, duration_ms),
    end: async () => {
      await Promise.all(clients.map(client => client.end()))
    },
  }
}

async function turns(
  clients: pg.Client[],
  turn: (client: pg.Client) => Promise<void>,
  duration_ms: number,
): Promise<Rate> {
  const started_ms = performance.now()
  let requests = 0
  const keepGoing = async (client: pg.Client) => {
    for (; performance.now() < started_ms + duration_ms; requests++) await turn(client)
  }
  await Promise.all(clients.map(keepGoing))
  return { requests, per_second: (requests / (performance.now() - started_ms)) * 1000 }
}

/** Has the store itself say what it would send, so that this can never measure another statement. */
async function capture(org_id: string) {
  const ids = makeIds(systemClock)
  const sent: { statement: Statement<unknown, unknown>; values: unknown[] }[] = []
  await beginTrail(
    {
      run: async (statement, params) => {
        const made = statement as Statement<unknown, unknown>
        sent.push({ statement: made, values: valuesOf(made, params as Record<string, unknown>) })
        return []
      },
    },
    org_id,
    sampleTrail(org_id, ids.next),
  )
  const [first] = sent
  if (!first) throw new Error('The store sent nothing')
  const { name, text, order } = first.statement
  const [trail_id, event_id, trail_name] = ['trail_id', 'event_id', 'name'].map(param => order.indexOf(param))
  const nextValues = () => {
    const id = ids.next()
    const fresh = new Map([
      [trail_id, id],
      [event_id, ids.next()],
      [trail_name, `bare-${id}`],
    ])
    return first.values.map((value, position) => fresh.get(position) ?? value)
  }
  return { query: { name, text }, nextValues }
}

function sampleTrail(org_id: string, nextId: () => string): NewTrail {
  const { git_commit_info, repo_info, ...rest } = TRAIL_FIELDS
  const trail_data_json = { org_id, name: nextId(), creating_user_id: nextId(), ...rest }
  return {
    flow_name: FLOW,
    trail_id: nextId(),
    name: nextId(),
    template_id: null,
    fields: TRAIL_FIELDS,
    event_id: nextId(),
    event_data: { setting_user_id: nextId(), git_commit_info, repo_info, trail_data_json },
    actor: 'admin',
    request_id: nextId(),
    now: systemClock.now(),
  }
}

async function firstSharedOrg(owner: DatabaseAddress): Promise<string> {
  const client = new pg.Client(owner)
  await client.connect()
  const { rows } = await client.query("select org_id from orgs where kind = 'shared'")
  await client.end()
  return rows[0].org_id
}

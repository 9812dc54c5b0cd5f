// The benefit of sending statements in one packet (`db/packet.ts`): the same transactions on the same sixteen
// connections, as one packet each and as pipelined messages with a Sync each, as the driver sends them by itself.
import pg from 'pg'
import { type Query, sendPacket } from '../server/src/db/packet.ts'
import { startService } from './bench-service.ts'
import { printRatio, printTitle } from './report.ts'
import { type Phase, runInTurns } from './rounds.ts'

const CONNECTIONS = 16
const STEPS = 12
const TURNS = { rounds: 9, warm_up_ms: 1_500, phase_ms: 1_000 }

const BEGIN = { name: 'begin', text: 'begin', values: [] }
const COMMIT = { name: 'commit', text: 'commit', values: [] }
const SCOPE: Query = { name: 'scope', text: `select set_config('app.org', $1, true)`, values: [''] }
const LOOK_UP: Query = {
  name: 'look_up',
  text: 'select flow_id, name, description, created_at from flows where org_id::text = $1 and name = $2',
  values: ['', 'measured'],
}
const batch = Array.from({ length: STEPS }, (_, i) => ({ ...LOOK_UP, name: `look_up_${i}` }))

const service = await startService()
try {
  const { app } = await service.readDatabaseAddresses()
  const pipelined = { pipeline: true }
  const connect = async () => {
    const client = new pg.Client({ ...app, ...pipelined })
    await client.connect()
    return client
  }
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, connect))
  const rates = await runInTurns(
    {
      read_packet: makePhase(clients, client => sendPacket(client, [SCOPE, LOOK_UP])),
      read_messages: makePhase(clients, client => sendMessages(client, [BEGIN, SCOPE, LOOK_UP, COMMIT])),
      batch_packet: makePhase(clients, client => sendPacket(client, [BEGIN, SCOPE, ...batch, COMMIT])),
      batch_messages: makePhase(clients, client => sendMessages(client, [BEGIN, SCOPE, ...batch, COMMIT])),
    },
    TURNS,
  )
  await Promise.all(clients.map(client => client.end()))
  printTitle(`Statements in one packet, ${CONNECTIONS} connections, ${TURNS.rounds} rounds`)
  printRatio('one read: packet / messages', rates.read_packet, rates.read_messages, { at_least: 1.5 })
  printRatio(`${STEPS} statements: packet / messages`, rates.batch_packet, rates.batch_messages, {
    at_least: 2,
  })
} finally {
  await service.stop()
}

function sendMessages(client: pg.Client, queries: readonly Query[]): Promise<unknown> {
  // A separate name, because each way keeps its own list of statements prepared on the connection.
  return Promise.all(queries.map(query => client.query({ ...query, name: `message_${query.name}` })))
}

function makePhase(clients: readonly pg.Client[], send: (client: pg.Client) => Promise<unknown>): Phase {
  return async duration_ms => {
    const started_ms = performance.now()
    let requests = 0
    const keepGoing = async (client: pg.Client) => {
      for (; performance.now() < started_ms + duration_ms; requests++) await send(client)
    }
    await Promise.all(clients.map(keepGoing))
    return { requests, per_second: (requests / (performance.now() - started_ms)) * 1000 }
  }
}

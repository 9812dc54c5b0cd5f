// The last released version in the tests of upgrades: its database, and clients that send the statements recorded
// from it.
import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import type { Scope, Step } from '../src/db/database.ts'
import { migrate } from '../src/db/migrate.ts'
import { getShippedMigrations, type Migration } from '../src/db/migration-files.ts'
import { isRetryable } from '../src/db/violations.ts'
import { systemClock } from '../src/lib/clock.ts'
import { makeIds } from '../src/lib/ids.ts'
import { packageRoot } from '../src/lib/package-root.ts'
import { addCleanUp } from './clean-ups.ts'
import { APP_PASSWORD } from './cluster.ts'
import { PATIENCE_MS, until } from './patience.ts'
import { createDatabase } from './service.ts'

const last_released = readFileSync(join(packageRoot, 'migrations', 'released'), 'utf8').trim()
const RECORDING = join(packageRoot, 'test', 'fixtures', 'statements-of-0100.sql')

/** The migrations that the last released version includes. */
export function getReleasedMigrations(): readonly Migration[] {
  return getShippedMigrations().filter(({ name }) => name <= last_released)
}

export interface OldDatabase {
  org_id: string
  owner: pg.Client
  connectOwner(): Promise<pg.Client>
  /** A pool like the one in a service of the last released version. */
  connectService(): OldService
}

export interface OldService {
  /** In one transaction, retried after a deadlock, as in that version. */
  runBatch(scope: Scope, steps: readonly Step[]): Promise<void>
}

export async function makeOldDatabase(): Promise<OldDatabase> {
  const { owner } = await createDatabase()
  await migrate(owner, { shipped: getReleasedMigrations() })
  return openOldDatabase(owner)
}

/** Adds an organization to a database, for clients of an old version. */
export async function openOldDatabase(owner: pg.Client): Promise<OldDatabase> {
  const address = { ...inject('cluster'), database: owner.database ?? '' }
  const org_id = randomUUID()
  await owner.query(
    `insert into public.orgs (org_id, name, kind, created_at) values ($1, 'acme', 'shared', now())`,
    [org_id],
  )
  return {
    org_id,
    owner,
    connectOwner: async () => {
      const client = new pg.Client(address)
      // Some tests end the connection while it is in use.
      client.on('error', () => undefined)
      await client.connect()
      addCleanUp(() => client.end().catch(() => undefined))
      return client
    },
    connectService: () => {
      const limits = { connectionTimeoutMillis: PATIENCE_MS, query_timeout: PATIENCE_MS }
      const pool = new pg.Pool({ ...address, user: 'waybill_app', password: APP_PASSWORD, ...limits })
      pool.on('error', () => undefined)
      addCleanUp(() => pool.end())
      return { runBatch: (scope, steps) => runBatch(pool, scope, steps) }
    },
  }
}

const MAX_ATTEMPTS = 3
const SET_SCOPE = `select set_config('app.org', $1, true), set_config('app.key', $2, true),
  set_config('app.worker', $3, true), set_config('app.person', '', true), set_config('app.signin', '', true)`

async function runBatch(pool: pg.Pool, scope: Scope, steps: readonly Step[], tried = 1): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query(SET_SCOPE, [scope.org_id ?? '', scope.key_hash ?? '', scope.worker ? 'a' : ''])
    for (const { name, text, values } of steps)
      await client.query({ name, text, values: [...(values ?? [])] })
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    if (tried === MAX_ATTEMPTS || !isRetryable(error)) throw error
    return runBatch(pool, scope, steps, tried + 1)
  } finally {
    client.release()
  }
}

interface Recorded {
  text: string
  params: string[]
}

function readRecording(): Map<string, Recorded> {
  const found = readFileSync(RECORDING, 'utf8').matchAll(/^-- ([a-z_]+\.[a-z_]+): (.*)\n([^;]*);$/gm)
  return new Map(
    [...found].map(([, name = '', params = '', text = '']) => [name, { text, params: params.split(', ') }]),
  )
}

/** Sends all recorded statements once, as requests that create a flow, begin a trail, attest and report. */
export function makeOldRequests(db: OldService, org_id: string): () => Promise<void> {
  const recording = readRecording()
  const prepare = (name: string, values: Record<string, unknown>): Step => {
    const recorded = recording.get(name)
    if (!recorded) throw new Error(`${name} was not recorded`)
    for (const param of recorded.params) if (!(param in values)) throw new Error(`${name} needs ${param}`)
    return { name: `old ${name}`, text: recorded.text, values: recorded.params.map(param => values[param]) }
  }
  return async () => {
    const { request, attestation } = makeValues(org_id)
    const valuesOf = (name: string) => (name === 'attestations.insert' ? { ...attestation, org_id } : request)
    const send = (scope: Scope, ...names: string[]) =>
      db.runBatch(
        scope,
        names.map(name => prepare(name, valuesOf(name))),
      )
    await send({ key_hash: request.key_hash }, 'keys.find_by_key')
    await send({ org_id }, 'environments.insert_or_keep')
    await send({ org_id }, 'templates.insert_or_find', 'flows.insert_or_keep')
    await send({ org_id }, 'trails.begin')
    await send({ org_id }, 'trails.lock_named', 'attestations.insert', 'events.append')
    await send({ org_id }, 'snapshots.lock_environments', 'running.reported', 'environments.reported')
    await send({ org_id }, 'flows.find')
    await send({ org_id }, 'trails.find')
    await send({ worker: true }, 'pending_evaluations.list')
    await send({ org_id }, 'snapshots.lock_environments', 'pending_evaluations.take')
  }
}

export interface OldClients {
  /** Waits until each of them has sent all statements this many more times. */
  untilAllWent(times: number): Promise<void>
  /** Returns why requests failed. */
  stop(): Promise<unknown[]>
}

/** Clients that keep sending the old version's requests until they are stopped, or one of their requests fails. */
export function startOldClients(old: OldDatabase, count: number): OldClients {
  const failures: unknown[] = []
  const done = Array.from({ length: count }, () => 0)
  let isOver = false
  const clients = done.map(async (_, i) => {
    const request = makeOldRequests(old.connectService(), old.org_id)
    try {
      while (!isOver) {
        await request()
        done[i] = (done[i] ?? 0) + 1
      }
    } catch (error) {
      failures.push(error)
      done[i] = Number.POSITIVE_INFINITY
    }
  })
  return {
    untilAllWent: async times => {
      const goals = done.map(count => count + times)
      await until(() => goals.every((goal, i) => (done[i] ?? 0) >= goal))
    },
    stop: async () => {
      isOver = true
      await Promise.all(clients)
      return failures
    },
  }
}

const ids = makeIds(systemClock)

function makeValues(org_id: string) {
  const name = `n${randomUUID()}`
  const [flow_id, trail_id, template_id, environment_id, attestation_id] = [1, 2, 3, 4, 5].map(() =>
    randomUUID(),
  )
  const now = new Date()
  const content_sha256 = createHash('sha256').update(name).digest('hex')
  const artifacts = [{ name: 'image', attestations: [{ name: 'unit', type: 'generic' }] }]
  const attestation = {
    ...{ attestation_id, artifact_id: null, target_artifacts: '{}', is_compliant: true, report: '{}' },
    ...{ attestation_name: 'unit', attestation_type: 'generic', overridden_attestation_id: null },
    ...{ git_commit: null, control: null, control_version: null, expires_at: null },
    ...{ evidence_sha256: null, evidence_name: null, evidence_bytes: null },
  }
  const common = {
    ...{ org_id, flow_id, trail_id, template_id, environment_id, now, content_sha256, name },
    ...{ flow_name: name, trail_name: name, org_name: 'acme', key_hash: content_sha256 },
    ...{ flow_names: [name], trail_names: [name], environment_ids: [environment_id] },
    ...{ content: name, parsed: JSON.stringify({ trail: { attestations: [], artifacts } }) },
    ...{ fresh_state: 'INCOMPLETE', description: '', visibility: 'private', created_by: 'ada', actor: 'ada' },
    ...{ type: 'K8S', client_type: 'K8S', include_scaling: false, require_provenance: false },
    ...{
      expected_report_interval: null,
      git_commit_info: null,
      repo_info: null,
      repo: null,
      origin_url: null,
    },
    ...{ external_urls: '{}', user_data: '{}', collected_at: null, spooled: null },
    ...{ reported_at: now, observed_at: null, reporter: null, missing: null, report_sha256: content_sha256 },
    ...{ except: [], before: now, most_per_org: 10 },
    /** A UUIDv7: the month of an event is in its id. */
    get events() {
      const about = { kind: 'trail_reported', flow_id, trail_id, data: {} }
      const event = { event_id: ids.next(), now, actor: 'ada', request_id: 'r', ...about }
      return JSON.stringify([event])
    },
  }
  return { request: common, attestation: toLists({ ...attestation, flow_id, trail_id, actor: 'ada', now }) }
}

/** For a statement that stores many rows, which takes a list for each column. */
function toLists(row: Record<string, unknown>): Record<string, unknown[]> {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, [value]]))
}

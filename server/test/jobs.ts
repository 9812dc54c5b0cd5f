// The outbox for tests: enqueue jobs and deliveries, start workers, create targets to send to, and read the results.
import type { Database } from '../src/db/database.ts'
import { type AttemptParts, attemptJob } from '../src/delivery/attempt.ts'
import type { JobKind, Outcome } from '../src/delivery/job.ts'
import { claimJobs, enqueue, enqueueDeliveries, type Job, type NewDelivery } from '../src/delivery/outbox.ts'
import { startWorker, type Worker } from '../src/delivery/worker.ts'
import { makeIds } from '../src/lib/ids.ts'
import { makeLog } from '../src/lib/log.ts'
import { makeWorkCounters } from '../src/lib/work-counters.ts'
import type { TestApp } from './harness.ts'
import { PATIENCE_MS, until } from './patience.ts'
import { makeStatementLog, type StatementLog } from './statement-log.ts'

export const SCHEDULE_S = [0, 5, 30]
export const LEASE_MS = 20_000
export const PROBE_MS = 60_000
const POLL_MS = 20
export const CONFIG_TYPE = 'api_key_expiry'

type Row = Record<string, unknown>
/** The work of a job. Returning nothing means success. */
type Work = (job: Job) => Promise<unknown>

const ids = makeIds({ now: () => new Date(), monotonic_ms: () => performance.now() })
export const newId = () => ids.next()

export interface StartedWorker extends Worker {
  /** The statements that this worker sends. */
  sent: StatementLog
  /** Waits until the worker has run at least one more complete poll. */
  untilPolled(): Promise<void>
}

interface WorkerOptions {
  db?: Database
  /** Polls only when woken, or when it already knows that there is work. */
  never_polls?: boolean
}

interface Delivered {
  target_id?: string
  notification_type?: string
}

interface Limits {
  limit?: number
  max_per_sponsor?: number
  /** By sponsor: an organization without one is its own. */
  busy?: Record<string, number>
  busy_orgs?: Record<string, number>
  max_per_target?: number
  busy_targets?: Record<string, number>
}
const UNLIMITED = {
  limit: 10,
  max_per_sponsor: 10,
  busy: {},
  busy_orgs: {},
  max_per_target: 1000,
  busy_targets: {},
}

export interface Jobs {
  org_id: string
  start(work: Record<string, Work>, options?: WorkerOptions): StartedWorker
  stopAll(): Promise<void>
  put(kind: string, org_id?: string): Promise<string>
  /** Enqueues many jobs at once, due in the order of the returned ids. */
  putMany(kind: string, count: number, org_id?: string, target_id?: string): Promise<string[]>
  putDelivery(about: Delivered): Promise<string>
  newOrg(sponsor?: string): Promise<string>
  newTarget(): Promise<string>
  /** Without a limit per target, unless one is given. */
  claim(limits?: Limits): Promise<Job[]>
  claimOne(): Promise<Job>
  /** Runs one attempt at a claimed job, which ends with the given outcome. */
  end(job: Job, outcome: Outcome | Error, kind?: Partial<JobKind>, at?: Date): Promise<void>
  row(job_id: string): Promise<Row>
  target(target_id: string): Promise<Row>
  config(): Promise<Row | undefined>
  attempts(job_id: string): Promise<Row[]>
}

export async function makeJobs(app: TestApp): Promise<Jobs> {
  const { clock, sql } = app
  const org_id = String((await sql("select org_id from orgs where name = 'acme'"))[0]?.org_id)
  const notification_id = newId()
  await addNotification(app, { org_id, notification_id })
  const workers: Worker[] = []
  const buildParts = (db: Database, kinds: Record<string, JobKind>): AttemptParts => {
    const still = { log: makeLog('silent'), work: makeWorkCounters(), random: () => 0.5 }
    return { db, clock, ...still, kinds, retry_schedule_s: SCHEDULE_S }
  }
  const inMs = (ms: number) => new Date(clock.now().getTime() + ms)
  const readRow = async (text: string, value: string) => (await sql(text, [value]))[0] ?? {}
  const jobs: Jobs = {
    org_id,
    start: (work, { db = app.db, never_polls = false } = {}) => {
      const sent = makeStatementLog()
      const poll_ms = never_polls ? PATIENCE_MS : POLL_MS
      const parts = { ...buildParts(db, buildKinds(work)), poll_ms }
      const worker = sent.during(() => startWorker(parts))
      workers.push(worker)
      return { ...worker, sent, untilPolled: () => untilPolled(sent) }
    },
    stopAll: async () => void (await Promise.all(workers.splice(0).map(worker => worker.stop()))),
    put: async (kind, of = org_id) => {
      const job_id = newId()
      const job = { job_id, kind, payload: { to: 'you' }, now: clock.now() }
      await app.db.withTransaction({ org_id: of }, tx => enqueue(tx, of, job))
      return job_id
    },
    putMany: async (kind, count, of = org_id, target_id) => {
      const made = Array.from({ length: count }, newId)
      await sql(
        `insert into outbox (org_id, job_id, kind, payload, created_at, due_at, target_id)
         select $1, job_id, $2, '{}', $4, $4::timestamptz - interval '1 s' + n * interval '1 us', $5
         from unnest($3::uuid[]) with ordinality as made(job_id, n)`,
        [of, kind, made, clock.now(), target_id ?? null],
      )
      return made
    },
    putDelivery: async about => {
      const made = buildDelivery(notification_id, about, clock.now())
      await app.db.withTransaction({ org_id }, tx => enqueueDeliveries(tx, org_id, [made], clock.now()))
      return made.job_id
    },
    newOrg: sponsor => addOrg(app, sponsor),
    newTarget: () => addTarget(app, { org_id, notification_id }),
    claim: limits => {
      const [now, lease_until, probe_until] = [clock.now(), inMs(LEASE_MS), inMs(PROBE_MS)]
      return claimJobs(app.db, { ...UNLIMITED, ...limits, now, lease_until, probe_until })
    },
    claimOne: async () => {
      const [job, ...others] = await jobs.claim()
      if (!job || others.length > 0) throw new Error(`${others.length + (job ? 1 : 0)} jobs to claim`)
      return job
    },
    end: (job, outcome, kind = {}, at = clock.now()) => {
      const work = async () => {
        if (outcome instanceof Error) throw outcome
        return outcome
      }
      const parts = buildParts(app.db, { [job.kind]: { work, ...kind } })
      return attemptJob(job, { ...parts, clock: { ...clock, now: () => at } })
    },
    row: job_id => readRow('select * from outbox where job_id = $1', job_id),
    target: target_id => readRow('select * from notification_targets where target_id = $1', target_id),
    config: async () => (await sql('select * from notification_configs where org_id = $1', [org_id]))[0],
    attempts: job_id => sql('select * from delivery_attempts where job_id = $1 order by lease_no', [job_id]),
  }
  return jobs
}

/** The second claim from now starts only after the first one has finished. */
function untilPolled(sent: StatementLog): Promise<void> {
  const before = sent.countOf('outbox.claim')
  return until(() => sent.countOf('outbox.claim') >= before + 2)
}

interface Notification {
  org_id: string
  notification_id: string
}

async function addNotification(app: TestApp, { org_id, notification_id }: Notification): Promise<void> {
  await app.sql(
    `insert into notifications (org_id, notification_id, number, name, triggers, created_by, created_at, last_modified_at)
     values ($1, $2, 1, 'n', '{}', 'ada', $3, $3)`,
    [org_id, notification_id, app.clock.now()],
  )
}

async function addOrg(app: TestApp, sponsor?: string): Promise<string> {
  const org_id = newId()
  const text = "insert into orgs (org_id, name, kind, sponsor, created_at) values ($1, $2, 'shared', $3, $4)"
  await app.sql(text, [org_id, `org-${org_id}`, sponsor ?? null, app.clock.now()])
  return org_id
}

async function addTarget(app: TestApp, { org_id, notification_id }: Notification): Promise<string> {
  const target_id = newId()
  await app.sql(
    `insert into notification_targets (org_id, target_id, notification_id, position, type, emails, created_at)
     values ($1, $2, $3, 0, 'EMAIL', '{a@acme.example}', $4)`,
    [org_id, target_id, notification_id, app.clock.now()],
  )
  return target_id
}

function buildKinds(work: Record<string, Work>): Record<string, JobKind> {
  const buildKind = (does: Work): JobKind => ({
    work: async job => ((await does(job)) as Outcome | undefined) ?? { error: null },
  })
  return Object.fromEntries(Object.entries(work).map(([kind, does]) => [kind, buildKind(does)]))
}

function buildDelivery(notification_id: string, about: Delivered, now: Date): NewDelivery {
  const notice = {
    about: 'test',
    event_type: 'TEST',
    org: 'acme',
    happened_at: now.getTime() / 1000,
    asked_by: 'ada',
    notification: null,
  } as const
  return {
    job_id: newId(),
    event_type: 'TEST',
    notification_id: about.notification_type === undefined ? notification_id : null,
    notification_type: about.notification_type ?? null,
    target_id: about.target_id ?? null,
    payload: { notice },
  }
}

/** The database, but the first runs of one statement fail. */
export function failStatement(db: Database, name: string, times: number): Database & { failures(): number } {
  let failed = 0
  const fails = (sent: string | undefined) => sent === name && failed < times
  const refuse = () => {
    failed += 1
    return Promise.reject(new Error('Connection terminated'))
  }
  return {
    ...db,
    failures: () => failed,
    runOnce: (scope, statement, params) =>
      fails(statement.name) ? refuse() : db.runOnce(scope, statement, params),
    runBatch: (scope, steps) =>
      steps.some(({ name: sent }) => fails(sent)) ? refuse() : db.runBatch(scope, steps),
  }
}

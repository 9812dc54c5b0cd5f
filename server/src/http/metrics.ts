// Prometheus metrics. Only this file and client-metrics.ts import prom-client, so that replacing it costs little.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Database } from '../db/database.ts'
import type { ReplicaReader } from '../db/replica.ts'
import type { FleetMeasures } from '../fleet/measure.ts'
import type { ExportCounts, Signal } from '../lib/export-counts.ts'
import type { WorkCounters } from '../lib/work-counters.ts'
import type { Streams } from '../live/streams.ts'
import type { Logs } from '../log/logs.ts'
import { WITNESS_STATES } from '../log/witness-store.ts'
import { countStreams, measureSlowClients } from './client-metrics.ts'
import type { SlowClients } from './pace.ts'
import type { Checks } from './readiness.ts'
import type { Room } from './room.ts'

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export interface Metrics {
  observeRequest(route: string, method: string, status: number, seconds: number): void
  print(): Promise<{ type: string; text: string }>
}

export interface MetricsParts {
  db: Database
  reader: ReplicaReader | undefined
  logs: Pick<Logs, 'counters' | 'listLost'>
  streams: Pick<Streams, 'counters'>
  room: Pick<Room, 'counters'>
  ended_clients: SlowClients
  work: WorkCounters
  witnesses: readonly { name: string }[]
  exported: Record<Signal, ExportCounts> | undefined
  measureFleet(): Promise<FleetMeasures>
  check(): Promise<Checks>
}

export function makeMetrics(parts: MetricsParts): Metrics {
  const { db, reader, logs, work, measureFleet, check } = parts
  const registers = [new Registry()]
  const [registry] = registers as [Registry]
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'waybill_http_request_duration_seconds',
    help: 'Time to answer, by route',
    labelNames: ['route', 'method', 'status'] as const,
    buckets: BUCKETS_S,
    registers,
  })
  measureDatabase(db, registers)
  if (reader) countReplicaReads(reader, registers)
  countEach(WORK_COUNTERS, work, registers)
  countJobs(work, registers)
  countLogWork(logs, registers)
  countWitnessFailures(parts, registers)
  countStreams(parts.streams, registers)
  measureSlowClients(parts, registers)
  if (parts.exported) countExports(parts.exported, registers)
  const setFleet = makeFleetGauges(registers)
  const setReady = makeReadyGauge(registers)
  return {
    observeRequest: (route, method, status, seconds) =>
      requests.observe({ route, method, status: String(status) }, seconds),
    print: async () => {
      const [measured, checks] = await Promise.all([measureFleet(), check()])
      setFleet(measured)
      setReady(checks)
      return { type: registry.contentType, text: await registry.metrics() }
    },
  }
}

function makeReadyGauge(registers: Registry[]): (checks: Checks) => void {
  const ready = new Gauge({
    name: 'waybill_ready',
    help: 'Whether each check of /ready succeeds: 1 or 0',
    labelNames: ['check'] as const,
    registers,
  })
  return checks => {
    // Some checks run only if those before them succeed.
    ready.reset()
    for (const [name, problem] of Object.entries(checks)) {
      ready.set({ check: name }, problem === undefined ? 1 : 0)
    }
  }
}

/** Facts about the whole installation; every process shows the same. */
function makeFleetGauges(registers: Registry[]): (measured: FleetMeasures) => void {
  const define = (name: string, help: string) => new Gauge({ name, help, registers })
  const labelNames = ['queue'] as const
  const workers = define('waybill_workers', 'Workers that were seen in the last 30 seconds')
  const waiting = define('waybill_outbox_waiting', 'Jobs not finished')
  const oldest = define(
    'waybill_outbox_oldest_age_seconds',
    'How long the oldest due job has been due, without jobs for paused targets',
  )
  const queued = new Gauge({
    name: 'waybill_backlog',
    help: 'Waiting jobs and evaluations, by queue',
    labelNames,
    registers,
  })
  const age = new Gauge({
    name: 'waybill_backlog_oldest_age_seconds',
    help: 'How long the oldest job or evaluation has been due, by queue, without jobs for paused targets',
    labelNames,
    registers,
  })
  const paused = define(
    'waybill_targets_paused',
    'Targets to which nothing is sent until a probe succeeds, because the receiver cannot be reached',
  )
  const stale = define(
    'waybill_environments_stale',
    'Environments that have not reported for three expected intervals',
  )
  const evidence = define('waybill_evidence_bytes', 'Bytes of evidence of all organizations together')
  const setLogs = makeLogGauges(registers)
  const setWitnesses = makeWitnessGauges(registers)
  const setSinks = makeSinkGauges(registers)
  const free = define(
    'waybill_evidence_free_ratio',
    'Free part of the disk with the evidence, 0 to 1; not a number for a bucket',
  )
  return measured => {
    const { evaluation, ...outbox } = measured.queues
    const jobs = Object.values(outbox)
    workers.set(measured.workers)
    waiting.set(jobs.reduce((sum, queue) => sum + queue.waiting, 0))
    oldest.set(Math.max(0, ...jobs.map(({ oldest_age_s }) => oldest_age_s)))
    queued.reset()
    age.reset()
    for (const [queue, { waiting, oldest_age_s }] of Object.entries(measured.queues)) {
      queued.set({ queue }, waiting)
      age.set({ queue }, oldest_age_s)
    }
    paused.set(measured.paused_targets)
    stale.set(measured.stale_environments)
    setLogs(measured.logs)
    setWitnesses(measured.witnesses)
    setSinks(measured.audit_sinks)
    evidence.set(measured.evidence_bytes)
    free.set(measured.evidence_free_ratio ?? Number.NaN)
  }
}

/** Sums over all logs: one series each, however many organizations there are. */
function makeLogGauges(registers: Registry[]): (measured: FleetMeasures['logs']) => void {
  const define = (name: string, help: string) => new Gauge({ name, help, registers })
  const leaves = define('waybill_log_leaves', 'Leaves in all logs together')
  const unpublished = define(
    'waybill_logs_unpublished',
    'Logs with leaves that no published checkpoint covers; they are published every 5 seconds',
  )
  const waiting = define(
    'waybill_log_unpublished_age_seconds',
    'How long the oldest leaf without a published checkpoint has waited; 0 if there is none',
  )
  const age = define(
    'waybill_log_checkpoint_age_seconds',
    'Since the minute in which a checkpoint was last published; not a number before the first',
  )
  return measured => {
    leaves.set(measured.leaves)
    unpublished.set(measured.unpublished)
    waiting.set(measured.unpublished_age_s)
    age.set(measured.checkpoint_age_s)
  }
}

/** Sums over all logs, by the names of the operator's policy. */
function makeWitnessGauges(registers: Registry[]): (measured: FleetMeasures['witnesses']) => void {
  const age = new Gauge({
    name: 'waybill_witness_cosignature_age_seconds',
    help: 'Since the witness last cosigned a checkpoint of any log; not a number if it never did',
    labelNames: ['witness'] as const,
    registers,
  })
  const logs = new Gauge({
    name: 'waybill_witness_logs',
    help: "Logs by the witness's last statement about them",
    labelNames: ['witness', 'state'] as const,
    registers,
  })
  return measured => {
    for (const witness of measured) {
      age.set({ witness: witness.name }, witness.cosignature_age_s)
      for (const state of WITNESS_STATES) logs.set({ witness: witness.name, state }, witness.logs[state] ?? 0)
    }
  }
}

/** Sums over all organizations, by the names of the operator's sinks. */
function makeSinkGauges(registers: Registry[]): (measured: FleetMeasures['audit_sinks']) => void {
  const define = (name: string, help: string) =>
    new Gauge({ name, help, labelNames: ['sink'] as const, registers })
  const unsent = define('waybill_audit_sink_unsent', 'Events that the audit sink has not accepted yet')
  const age = define(
    'waybill_audit_sink_oldest_age_seconds',
    'How long the oldest event that the audit sink has not accepted has waited; 0 if there is none',
  )
  const failing = define(
    'waybill_audit_sink_failing_orgs',
    'Organizations of which the audit sink has not accepted the last batch',
  )
  return measured => {
    for (const { name: sink, ...of } of measured) {
      unsent.set({ sink }, of.unsent)
      age.set({ sink }, of.oldest_age_s)
      failing.set({ sink }, of.failing_orgs)
    }
  }
}

/** Counts for this process. */
function countWitnessFailures({ logs, witnesses }: MetricsParts, registers: Registry[]): void {
  new Counter({
    name: 'waybill_witness_failures_total',
    help: 'Times that a witness was asked for a cosignature but gave none',
    labelNames: ['witness'] as const,
    registers,
    collect() {
      this.reset()
      for (const { name } of witnesses)
        this.inc({ witness: name }, logs.counters.witness_failures.get(name) ?? 0)
    },
  })
}

/** Shows the numbers that the parts of this process count: `[name, help]` of each. */
function countEach<Key extends string>(
  shown: Readonly<Record<Key, readonly [string, string]>>,
  counted: Readonly<Record<NoInfer<Key>, number>>,
  registers: Registry[],
): void {
  for (const key of Object.keys(shown) as Key[]) {
    const [name, help] = shown[key]
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(counted[key])
      },
    })
  }
}

/** Counters of this process. */
const WORK_COUNTERS = {
  batches: ['waybill_batches_total', 'Batches in which writes of several requests are stored'],
  batch_items: ['waybill_batch_items_total', 'Writes in these batches'],
  auth_cache_hits: ['waybill_auth_cache_hits_total', 'Callers that the auth cache knew'],
  auth_cache_misses: ['waybill_auth_cache_misses_total', 'Callers that were looked up in the database'],
  evaluations: ['waybill_evaluations_total', 'Environments evaluated by the loop'],
  failed_evaluations: [
    'waybill_evaluation_failures_total',
    'Evaluations that failed and will be retried; the log has the reason',
  ],
} as const

/** Counts for this process. */
function countJobs({ jobs }: WorkCounters, registers: Registry[]): void {
  new Counter({
    name: 'waybill_job_attempts_total',
    help: 'Attempts at outbox jobs, by kind and outcome',
    labelNames: ['kind', 'outcome'] as const,
    registers,
    collect() {
      this.reset()
      for (const [kind, { done, failed, suppressed }] of jobs) {
        this.inc({ kind, outcome: 'done' }, done)
        this.inc({ kind, outcome: 'failed' }, failed)
        this.inc({ kind, outcome: 'suppressed' }, suppressed)
      }
    },
  })
  new Counter({
    name: 'waybill_job_seconds_total',
    help: 'Duration of attempts at outbox jobs, by kind',
    labelNames: ['kind'] as const,
    registers,
    collect() {
      this.reset()
      for (const [kind, { seconds }] of jobs) this.inc({ kind }, seconds)
    },
  })
}

const LOG_COUNTERS = {
  checkpoints_signed: ['waybill_log_checkpoints_signed_total', 'Checkpoints signed'],
  signing_failures: ['waybill_log_signing_failures_total', 'Checkpoints that could not be signed'],
  proof_failures: [
    'waybill_log_proof_failures_total',
    'Stored writes whose proof was requested but could not be made',
  ],
  publishing_failures: [
    'waybill_log_publishing_failures_total',
    'Checkpoints that did not reach the evidence store or the database',
  ],
  storing_failures: [
    'waybill_log_storing_failures_total',
    'Times that hashes of a tree could not be stored; they stay in memory and are stored later',
  ],
} as const

/** Counts for this process. */
function countLogWork({ counters, listLost }: MetricsParts['logs'], registers: Registry[]): void {
  countEach(LOG_COUNTERS, counters, registers)
  new Gauge({
    name: 'waybill_logs_frozen',
    help: 'Logs that this process does not sign because something that was signed is missing',
    registers,
    collect() {
      this.set(listLost().length)
    },
  })
}

/** Counts for this process. */
export function countExports(counts: Record<Signal, ExportCounts>, registers: Registry[]): void {
  new Counter({
    name: 'waybill_telemetry_items_total',
    help: 'Spans and log lines for the collector, by signal and outcome; all but "exported" were dropped',
    labelNames: ['signal', 'outcome'] as const,
    registers,
    collect() {
      this.reset()
      for (const [signal, outcomes] of Object.entries(counts))
        for (const [outcome, count] of Object.entries(outcomes)) this.inc({ signal, outcome }, count)
    },
  })
}

function countReplicaReads({ outcomes }: ReplicaReader, registers: Registry[]): void {
  new Counter({
    name: 'waybill_replica_reads_total',
    help: 'Reads that the replica could serve, by outcome; all but "replica" went to the primary',
    labelNames: ['outcome'] as const,
    registers,
    collect() {
      this.reset()
      for (const [outcome, count] of Object.entries(outcomes)) this.inc({ outcome }, count)
    },
  })
}

function measureDatabase(db: Database, registers: Registry[]): void {
  const connections = new Gauge({
    name: 'waybill_pool_connections',
    help: 'Database connections by state',
    labelNames: ['state'] as const,
    registers,
    collect() {
      const { total, idle, waiting } = db.pool()
      this.set({ state: 'busy' }, total - idle)
      this.set({ state: 'idle' }, idle)
      this.set({ state: 'waited_for' }, waiting)
    },
  })
  connections.set({ state: 'busy' }, 0)
  for (const kind of ['statements', 'waits'] as const) {
    new Counter({
      name: `waybill_sql_${kind}_total`,
      help: kind === 'statements' ? 'SQL statements sent' : 'Waits for a response of the database',
      registers,
      collect() {
        this.reset()
        this.inc(db.counters[kind])
      },
    })
  }
}

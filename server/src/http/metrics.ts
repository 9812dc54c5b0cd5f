// Prometheus metrics. Only this file imports prom-client, so that replacing it costs one file.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Database } from '../db/database.ts'
import type { ReplicaReader } from '../db/replica.ts'

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export interface Metrics {
  observeRequest(route: string, method: string, status: number, seconds: number): void
  setOutbox(waiting: number, oldest_age_seconds: number, paused_targets: number): void
  setStale(environments: number): void
  print(): Promise<{ type: string; text: string }>
}

export function makeMetrics(db: Database, reader?: ReplicaReader): Metrics {
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
  const waiting = new Gauge({ name: 'waybill_outbox_waiting', help: 'Jobs not finished', registers })
  const oldest = new Gauge({
    name: 'waybill_outbox_oldest_age_seconds',
    help: 'How long the oldest due job has been due',
    registers,
  })
  const paused = new Gauge({
    name: 'waybill_targets_paused',
    help: 'Targets to which nothing is sent until a probe succeeds, because the receiver cannot be reached',
    registers,
  })
  const stale = new Gauge({
    name: 'waybill_environments_stale',
    help: 'Environments that have not reported for three expected intervals',
    registers,
  })
  measureDatabase(db, registers)
  if (reader) countReplicaReads(reader, registers)
  return {
    observeRequest: (route, method, status, seconds) =>
      requests.observe({ route, method, status: String(status) }, seconds),
    setOutbox: (count, age, paused_targets) => {
      waiting.set(count)
      oldest.set(age)
      paused.set(paused_targets)
    },
    setStale: environments => stale.set(environments),
    print: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  }
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

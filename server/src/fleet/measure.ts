// Measures on demand what all processes share: backlog, workers, stale environments and the evidence disk. Every
// process that serves metrics can do it, even one that does no such work itself. A result is reused for a moment,
// counts are bounded, and anything that cannot be measured is not a number.
import { measureSinks, type SinkMeasures } from '../audit-sinks/store.ts'
import type { Database } from '../db/database.ts'
import { countStale } from '../evaluation/staleness-store.ts'
import type { EvidenceStore } from '../evidence/evidence.ts'
import type { Clock } from '../lib/clock.ts'
import { reuse, withTimeout } from '../lib/reuse.ts'
import { ALIVE_S } from './heartbeat.ts'
import {
  countPausedTargets,
  type LogMeasures,
  measureLogs,
  type Queue,
  readBacklog,
  readWitnesses,
  readWorkers,
  sumEvidence,
  type WitnessedLogs,
} from './store.ts'

/** The limit for each queue: nobody needs to know how many more there are. */
const MOST_COUNTED = 100_000

/** Shown even if nothing is queued, so that alerting rules always find them. */
const QUEUES = ['mail', 'delivery', 'evaluation']

const MINUTE_S = 60
const UNKNOWN_LOGS: LogMeasures = {
  leaves: Number.NaN,
  unpublished: Number.NaN,
  unpublished_ms: Number.NaN,
  newest_minute: null,
}

interface QueueMeasures {
  waiting: number
  oldest_age_s: number
}

interface WitnessMeasures {
  name: string
  /** Not a number if the witness has never cosigned. */
  cosignature_age_s: number
  /** The number of logs by the witness's last statement. */
  logs: Readonly<Record<string, number>>
}

interface AuditSinkMeasures {
  name: string
  /** Not a number if counting failed. The same holds for the next two. */
  unsent: number
  oldest_age_s: number
  failing_orgs: number
}

export interface FleetMeasures {
  workers: number
  queues: Readonly<Record<string, QueueMeasures>>
  paused_targets: number
  stale_environments: number
  logs: {
    leaves: number
    unpublished: number
    unpublished_age_s: number
    checkpoint_age_s: number
  }
  witnesses: readonly WitnessMeasures[]
  audit_sinks: readonly AuditSinkMeasures[]
  evidence_bytes: number
  /** Undefined for a store without a known size, such as a bucket. */
  evidence_free_ratio: number | undefined
}

export interface MeasureParts {
  db: Database
  evidence: Pick<EvidenceStore, 'readSpace'>
  clock: Clock
  /** The witnesses of the operator's policy. */
  witnesses: readonly { name: string; vkey: string }[]
  audit_sinks: readonly { name: string }[]
  within_ms: number
  fresh_ms: number
}

/** Never rejects. */
export function makeFleetMeasures(parts: MeasureParts): () => Promise<FleetMeasures> {
  const { db, evidence, clock, within_ms, fresh_ms } = parts
  const attempt = <T>(work: Promise<T>, otherwise: T) => withTimeout(within_ms, work).catch(() => otherwise)
  return reuse(
    clock,
    () => fresh_ms,
    async () => {
      const now = clock.now()
      const vkeys = parts.witnesses.map(({ vkey }) => vkey)
      const sink_names = parts.audit_sinks.map(({ name }) => name)
      const [
        { alive },
        backlog,
        paused_targets,
        stale_environments,
        logs,
        seen,
        sinks,
        evidence_bytes,
        space,
      ] = await Promise.all([
        attempt(readWorkers(db, ALIVE_S), { alive: Number.NaN, unseen_s: null }),
        attempt<Queue[] | undefined>(readBacklog(db, MOST_COUNTED), undefined),
        attempt(countPausedTargets(db), Number.NaN),
        attempt(countStale(db, now), Number.NaN),
        attempt(measureLogs(db), UNKNOWN_LOGS),
        attempt<WitnessedLogs[]>(readWitnesses(db, vkeys), []),
        attempt<SinkMeasures[]>(measureSinks(db, sink_names), []),
        attempt(sumEvidence(db), Number.NaN),
        attempt(evidence.readSpace?.() ?? Promise.resolve(undefined), {
          free_bytes: Number.NaN,
          total_bytes: Number.NaN,
        }),
      ])
      const evidence_free_ratio = space && space.free_bytes / space.total_bytes
      const queues = measureQueues(backlog, now)
      return {
        workers: alive,
        queues,
        paused_targets,
        stale_environments,
        logs: {
          ...logs,
          unpublished_age_s: Math.max(0, (logs.unpublished_ms ?? 0) / 1000),
          checkpoint_age_s: computeAge(logs, now),
        },
        witnesses: parts.witnesses.map(({ name, vkey }) => measureWitness(name, pickOwn(seen, vkey), now)),
        audit_sinks: sink_names.map(name => measureSink(name, sinks)),
        evidence_bytes,
        evidence_free_ratio,
      }
    },
  )
}

/** The age of the newest checkpoint. Not a number if there is none. */
function computeAge({ newest_minute }: LogMeasures, now: Date): number {
  if (newest_minute === null) return Number.NaN
  return Math.max(0, now.getTime() / 1000 - newest_minute * MINUTE_S)
}

const pickOwn = (seen: readonly WitnessedLogs[], vkey: string) => seen.filter(row => row.vkey === vkey)

function measureWitness(name: string, rows: readonly WitnessedLogs[], now: Date): WitnessMeasures {
  const times = rows.flatMap(({ cosigned_at }) => cosigned_at?.getTime() ?? [])
  const newest_ms = times.length === 0 ? Number.NaN : Math.max(...times)
  return {
    name,
    // The witness's clock may be ahead.
    cosignature_age_s: Math.max(0, (now.getTime() - newest_ms) / 1000),
    logs: Object.fromEntries(rows.map(({ state, logs }) => [state, logs])),
  }
}

function measureSink(name: string, measured: readonly SinkMeasures[]): AuditSinkMeasures {
  const { NaN: unknown } = Number
  const found = measured.find(({ sink }) => sink === name)
  if (!found) return { name, unsent: unknown, oldest_age_s: unknown, failing_orgs: unknown }
  const { unsent, oldest_age_ms, failing: failing_orgs } = found
  return {
    name,
    unsent,
    oldest_age_s: Math.max(0, (oldest_age_ms ?? 0) / 1000),
    failing_orgs,
  }
}

function measureQueues(backlog: readonly Queue[] | undefined, now: Date): FleetMeasures['queues'] {
  if (!backlog) {
    const unknown = { waiting: Number.NaN, oldest_age_s: Number.NaN }
    return Object.fromEntries(QUEUES.map(queue => [queue, unknown]))
  }
  const none = QUEUES.map(queue => [queue, { waiting: 0, oldest_age_s: 0 }] as const)
  const found = backlog.map(({ queue, waiting, oldest_at }) => {
    const age_ms = oldest_at ? now.getTime() - oldest_at.getTime() : 0
    return [queue, { waiting, oldest_age_s: Math.max(0, age_ms / 1000) }] as const
  })
  return Object.fromEntries([...none, ...found])
}

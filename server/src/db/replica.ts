// Reads from a streaming replica that never miss a write. Each read first asks the primary how far its log has been
// flushed, and counts only if the replica has replayed that far: it includes every write acknowledged before the read
// began, whoever wrote it and through which process. Otherwise the primary is read (docs/adr/0024).
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { type Database, makeStep, type Scope, type Step } from './database.ts'
import { makeSharedReads } from './shared-reads.ts'
import { bool, defineStatement, text } from './statement.ts'

export interface ReplicaLimits {
  /** How long a read waits for the replica to catch up. */
  wait_ms: number
  /** Pause between two attempts within that time. */
  poll_ms: number
  /** How long the replica is avoided after it failed or was behind. */
  pause_ms: number
}

export const REPLICA_LIMITS: ReplicaLimits = { wait_ms: 200, poll_ms: 10, pause_ms: 1_000 }

/** `replica`: read there. All others were read from the primary: behind, failed, or not tried during a pause. */
type ReplicaOutcome = 'replica' | 'behind' | 'failed' | 'paused'

export interface ReplicaParts {
  primary: Database
  replica: Database
  clock: Clock
  limits: ReplicaLimits
  /** Called once when reads start going to the primary. */
  onLost(reason: string, error: unknown): void
  onRecovered(): void
}

export interface ReplicaReader {
  /** For operations that only read. */
  db: Database
  outcomes: Readonly<Record<ReplicaOutcome, number>>
  /** Why the primary is read at the moment; undefined if it is not. */
  getProblem(): string | undefined
}

// Without synchronous commits a write is acknowledged before it is flushed.
const readPosition = defineStatement(
  'replica.primary_position',
  {},
  { position: text },
  `select (case when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
     else pg_current_wal_flush_lsn() end)::text as position`,
)

const checkReplay = defineStatement(
  'replica.has_replayed',
  { position: text },
  { is_replica: bool, is_current: bool },
  `select pg_is_in_recovery() as is_replica,
     coalesce(pg_last_wal_replay_lsn() >= :position::text::pg_lsn, false) as is_current`,
)

const BEHIND = 'the replica is behind the primary'
const FAILED = 'the replica cannot be read'
const PROMOTED = 'the server of DATABASE_REPLICA_URL is no replica'

/** A promoted server accepts its own writes, so its replay position no longer means anything. */
class NoReplica extends Error {}

export function makeReplicaReader(parts: ReplicaParts): ReplicaReader {
  const { primary, replica } = parts
  const shared = makeSharedReads()
  const { tryReplica, outcomes, getProblem } = makeAttempts(parts)
  const trySteps = (scope: Scope, steps: readonly Step[]) =>
    tryReplica(async check => {
      const [checked, ...rows] = await replica.runBatch(scope, [check, ...steps])
      return isCurrent(checked) ? rows : undefined
    })

  const runOnce: Database['runOnce'] = async (scope, statement, params) => {
    const rows = await trySteps(scope, [makeStep(statement, params)])
    return (rows?.[0] as never) ?? primary.runOnce(scope, statement, params)
  }
  const withTransaction: Database['withTransaction'] = async (scope, work, guard) => {
    const read = await tryReplica(check =>
      replica.withTransaction(scope, async tx => {
        const [checked] = await tx.runSteps([check])
        return isCurrent(checked) ? { value: await work(tx) } : undefined
      }),
    )
    return read ? read.value : primary.withTransaction(scope, work, guard)
  }
  const db: Database = {
    ...primary,
    runOnce,
    runBatch: async (scope, steps) => (await trySteps(scope, steps)) ?? primary.runBatch(scope, steps),
    read: (scope, statement, params) => {
      const key = JSON.stringify([statement.name, scope, params])
      return shared.read(key, () => runOnce(scope, statement, params))
    },
    withTransaction,
  }
  return { db, outcomes, getProblem }
}

interface Attempts extends Pick<ReplicaReader, 'outcomes' | 'getProblem'> {
  /** Resolves with undefined if `send` does, because the check failed, or if the primary has to be read. */
  tryReplica<T>(send: (check: Step) => Promise<T | undefined>): Promise<T | undefined>
}

function makeAttempts({ primary, clock, limits, onLost, onRecovered }: ReplicaParts): Attempts {
  const outcomes: Record<ReplicaOutcome, number> = { replica: 0, behind: 0, failed: 0, paused: 0 }
  const positions = makeSharedReads()
  let problem: string | undefined
  let paused_until_ms = Number.NEGATIVE_INFINITY

  const lose = (outcome: 'behind' | 'failed', reason: string, error: unknown) => {
    outcomes[outcome] += 1
    paused_until_ms = clock.monotonic_ms() + limits.pause_ms
    if (problem === undefined) onLost(reason, error)
    problem = reason
  }
  const recover = () => {
    outcomes.replica += 1
    if (problem !== undefined) onRecovered()
    problem = undefined
  }

  async function tryReplica<T>(send: (check: Step) => Promise<T | undefined>): Promise<T | undefined> {
    if (clock.monotonic_ms() < paused_until_ms) {
      outcomes.paused += 1
      return undefined
    }
    const [row] = await positions.read('position', () => primary.runOnce({}, readPosition, {}))
    const check = makeStep(checkReplay, { position: row?.position ?? '' })
    try {
      for (let waited_ms = 0; waited_ms <= limits.wait_ms; waited_ms += limits.poll_ms) {
        const result = await send(check)
        if (result !== undefined) {
          recover()
          return result
        }
        await new Promise(resolve => setTimeout(resolve, limits.poll_ms))
      }
      lose('behind', BEHIND, undefined)
    } catch (error) {
      // An AppError such as 404 means that the read worked.
      if (error instanceof AppError) throw error
      // If the statement itself is at fault, the primary reports it.
      lose('failed', error instanceof NoReplica ? PROMOTED : FAILED, error)
    }
    return undefined
  }
  return { tryReplica, outcomes, getProblem: () => problem }
}

function isCurrent(rows: unknown[] | undefined): boolean {
  const [row] = (rows ?? []) as { is_replica: boolean; is_current: boolean }[]
  if (!row?.is_replica) throw new NoReplica(PROMOTED)
  return row.is_current
}

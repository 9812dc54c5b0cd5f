// Decides whether the service is ready: each check tries what requests need, within a time limit, and explains its
// failure. Results are reused for a moment, so that probes cannot load the database or the evidence store.
import type { Database } from '../db/database.ts'
import { DISK_FULL_CODE } from '../db/violations.ts'
import { explainWriteFault } from '../db/write-check.ts'
import type { WatchedEvidence } from '../evidence/watched.ts'
import type { Clock } from '../lib/clock.ts'
import { EvidenceFault } from '../lib/errors.ts'
import { reuse, withTimeout } from '../lib/reuse.ts'

export interface ReadyLimits {
  /** Shorter than a query may take: a prober gives up after a few seconds and must get the reason by then. */
  within_ms: number
  /** How long a result is reused. */
  fresh_ms: number
  /**
   * The same for a successful write to the evidence store, which may cost money. A failing request is noticed at
   * once.
   */
  evidence_fresh_ms: number
}

/** The reason why each check fails; undefined for those that succeed. */
export type Checks = Readonly<Record<string, string | undefined>>

export interface Readiness {
  check(): Promise<Checks>
  /** Problems that do not keep this process from serving: taking it out of service would not help. */
  findWarnings(): Promise<Checks>
  /** Makes the service unready, so that load balancers send nothing new, while it still responds. */
  startDraining(): void
  isDraining(): boolean
}

export interface ReadinessParts {
  db: Pick<Database, 'listPendingMigrations' | 'checkWrite'>
  /** Without asking the database; undefined if that is not possible. */
  isDatabaseDiskFull: (() => Promise<boolean>) | undefined
  evidence: WatchedEvidence
  clock: Clock
  limits: ReadyLimits
  /** The loops that this process runs. */
  checkLoops(): Checks
  /** Why work that other processes do is waiting; undefined if none is. */
  findMissingWorkers(): Promise<string | undefined>
  /** Why the primary is read instead of the replica; undefined if it is not. */
  findReplicaProblem(): string | undefined
  /** Why the time differs from the database's clock; undefined if it does not. */
  findClockProblem(): string | undefined
  /** Why a log cannot be signed; undefined if all can. */
  findLogProblem(): string | undefined
  /** Which leaves a witness has seen that are not in the log; undefined if none. */
  findFork(): Promise<string | undefined>
  /** Why checkpoints of a complete log are not signed; undefined if all are. */
  findUnanchored(): Promise<string | undefined>
}

export function makeReadiness(parts: ReadinessParts): Readiness {
  const { db, evidence, clock, checkLoops, findMissingWorkers, findReplicaProblem } = parts
  const { findClockProblem, findLogProblem, findFork, findUnanchored } = parts
  const { isDatabaseDiskFull: isDiskFull = async () => false } = parts
  const { within_ms, fresh_ms, evidence_fresh_ms } = parts.limits
  let is_draining = false
  let was_full = false
  const checkDatabase = reuse(
    clock,
    () => fresh_ms,
    async (): Promise<Checks> => {
      try {
        const pending = await withTimeout(within_ms, db.listPendingMigrations())
        if (pending.length > 0) return { database: undefined, migrations: 'migrations are pending' }
        await withTimeout(within_ms, db.checkWrite(clock.now(), within_ms))
        was_full = false
        return { database: undefined, migrations: undefined }
      } catch (error) {
        const is_full = await withTimeout(within_ms, isDiskFull()).catch(() => false)
        was_full ||= (error as { code?: string }).code === DISK_FULL_CODE
        return { database: explainWriteFault(error, { is_full, was_full }) }
      }
    },
  )
  const checkEvidence = reuse(
    clock,
    () => (evidence.getFault() === undefined ? evidence_fresh_ms : fresh_ms),
    async (): Promise<Checks> => {
      try {
        await withTimeout(within_ms, evidence.probe())
      } catch (error) {
        const reason = error instanceof EvidenceFault ? error.reason : 'the evidence store is not responding'
        return { evidence: reason }
      }
      return { evidence: undefined }
    },
  )
  const findFleetWarnings = reuse(
    clock,
    () => fresh_ms,
    async (): Promise<Checks> => ({
      // Another check reports a database that does not respond.
      workers: await withTimeout(within_ms, findMissingWorkers()).catch(() => undefined),
      witnesses: await withTimeout(within_ms, findFork()).catch(() => undefined),
      checkpoints: await withTimeout(within_ms, findUnanchored()).catch(() => undefined),
    }),
  )
  return {
    findWarnings: async () => ({
      ...(await findFleetWarnings()),
      replica: findReplicaProblem(),
      clock: findClockProblem(),
      log: findLogProblem(),
    }),
    check: async () => {
      const [database, stored] = await Promise.all([checkDatabase(), checkEvidence()])
      const stopping = is_draining ? { shutdown: 'the service is stopping' } : {}
      return { ...database, evidence: evidence.getFault() ?? stored.evidence, ...checkLoops(), ...stopping }
    },
    startDraining: () => {
      is_draining = true
    },
    isDraining: () => is_draining,
  }
}

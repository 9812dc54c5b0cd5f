// Runs one `waybill admin` command: opens the database and a transaction, and prints the result.
import type pg from 'pg'
import type { DatabaseClock } from '../db/database-clock.ts'
import { type Cluster, explainDatabaseFault, migrateCluster } from '../db/open.ts'
import { withOwnerTransaction } from '../db/owner.ts'
import type { EvidenceStore } from '../evidence/evidence.ts'
import type { EvidencePlace } from '../evidence/location.ts'
import { makeIds } from '../lib/ids.ts'
import type { Sealer } from '../lib/sealer.ts'
import type { Secrets } from '../lib/secrets.ts'
import type { Admin } from './actor.ts'
import type { Surroundings } from './surroundings.ts'

export interface AdminParts {
  surroundings: Surroundings
  openCluster(): Promise<Cluster>
  openEvidence(): Promise<EvidenceStore>
  locateEvidence(): EvidencePlace
  /** Opens and seals stored secrets with the key of the installation. */
  openSealer(): Promise<Sealer>
  /** Opens the clock of a database whose schema is current. */
  openClock(owner: pg.Client): Promise<DatabaseClock>
  /** The names of the sinks in the settings. */
  listAuditSinks(): readonly string[]
  secrets: Secrets
  print(text: string): void
  readStdin(): string
  setExitCode(code: number): void
}

export interface Output {
  /** Output for people. */
  lines: string[]
  /** Output for programs, with --json. */
  json: unknown
}

/** Lists the changes that a command made, one per line. */
export function formatChanges({ changes }: Admin): Output {
  return { lines: changes.length > 0 ? changes : ['nothing to change'], json: { changes } }
}

/**
 * Migrates the schema, then runs the command as the owner in one transaction, so that it applies fully or not at all.
 */
export async function run(
  parts: AdminParts,
  options: { json?: boolean },
  work: (admin: Admin) => Promise<Output>,
): Promise<void> {
  await withCluster(parts, async cluster => {
    await migrateCluster(cluster)
    const owner = await cluster.connectOwner()
    const { secrets } = parts
    try {
      const clock = await parts.openClock(owner)
      const output = await withOwnerTransaction(owner, tx =>
        work({ tx, ids: makeIds(clock), secrets, now: clock.now(), changes: [] }),
      )
      print(parts, options, output)
    } finally {
      await owner.end()
    }
  })
}

export async function withOwner<T>(cluster: Cluster, work: (owner: pg.Client) => Promise<T>): Promise<T> {
  const owner = await cluster.connectOwner()
  try {
    return await work(owner)
  } finally {
    await owner.end()
  }
}

export async function withCluster(
  parts: AdminParts,
  work: (cluster: Cluster) => Promise<void>,
): Promise<void> {
  const cluster = await parts.openCluster()
  try {
    await work(cluster)
  } catch (error) {
    throw await explainDatabaseFault(error, cluster)
  } finally {
    await cluster.stop()
  }
}

export function print(parts: AdminParts, options: { json?: boolean }, { lines, json }: Output): void {
  parts.print(options.json ? JSON.stringify(json) : lines.join('\n'))
}

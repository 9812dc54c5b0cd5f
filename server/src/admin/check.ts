// `admin check`: verifies the invariants of the stored data.
import type pg from 'pg'
import type { Db } from '../db/database.ts'
import { readMigrationState } from '../db/migrate.ts'
import { withOwnerTransaction } from '../db/owner.ts'
import { evaluateTrail } from '../domain/trail/evaluate.ts'
import { TRAIL_SUBJECT } from '../domain/trail/subject.ts'
import { findLogProblems } from '../log/check.ts'
import { findEnvironmentProblems } from './check-environments.ts'
import {
  findUnexplainedTrails,
  findUnguardedTables,
  listTrailsWithEvidence,
  type StoredSlot,
} from './store.ts'

export interface CheckResult {
  check: string
  ok: boolean
  /** The items that break the rule; empty if there are none. */
  found: string[]
}

/** With `log`, every leaf is read, which takes time in proportion to the history. */
export async function checkIntegrity(owner: pg.Client, options = { log: false }): Promise<CheckResult[]> {
  const { pending } = await readMigrationState(owner)
  const schema = toResult('every migration is applied', pending)
  if (pending.length > 0) return [schema]
  return withOwnerTransaction(owner, async tx => [
    schema,
    toResult('every table is guarded by row-level security', await findUnguardedTables(tx)),
    toResult('every trail has the event that began it', await findUnexplainedTrails(tx)),
    toResult('every trail has the state its template and evidence give it', await findWrongStates(tx)),
    ...Object.entries(await findEnvironmentProblems(tx)).map(([check, found]) => toResult(check, found)),
    ...(options.log
      ? [toResult('every leaf of the logs fits what is stored', await findLogProblems(tx))]
      : []),
  ])
}

function toResult(check: string, found: string[]): CheckResult {
  return { check, ok: found.length === 0, found }
}

/** Evaluates every trail again with the domain rules; the SQL that maintains the states must agree with them. */
async function findWrongStates(tx: Db): Promise<string[]> {
  const wrong: string[] = []
  for await (const { name, compliance_state, template, slots, artifacts } of listTrailsWithEvidence(tx)) {
    const evidence = {
      attestations: selectEvidence(slots, TRAIL_SUBJECT),
      artifacts: artifacts.map(({ fingerprint, ...artifact }) => ({
        ...artifact,
        artifact_fingerprint: fingerprint,
        attestations: selectEvidence(slots, artifact.artifact_id),
      })),
    }
    const { status } = evaluateTrail(template, evidence)
    if (status !== compliance_state)
      wrong.push(`${name}: stored as ${compliance_state} but should be ${status}`)
  }
  return wrong
}

function selectEvidence(slots: readonly StoredSlot[], artifact_id: string) {
  return slots
    .filter(slot => slot.artifact_id === artifact_id)
    .map(({ attestation_id, attestation_name, counts_as_type, is_compliant }) => ({
      attestation_id,
      attestation_name,
      attestation_type: counts_as_type,
      is_compliant,
      overridden_attestation_id: null,
    }))
}

// `admin check`: what must hold of the stored data, asked of the data itself.
import type pg from 'pg'
import type { Db } from '../db/database.ts'
import { migrationState } from '../db/migrate.ts'
import { asOwner } from '../db/owner.ts'
import { judgeTrail } from '../domain/trail/judge.ts'
import { THE_TRAIL } from '../domain/trail/subject.ts'
import { environmentProblems } from './check-environments.ts'
import { findUnexplainedTrails, findUnguardedTables, type StoredSlot, trailsWithEvidence } from './store.ts'

export interface CheckResult {
  check: string
  ok: boolean
  /** What breaks the rule; empty when nothing does. */
  found: string[]
}

export async function checkIntegrity(owner: pg.Client): Promise<CheckResult[]> {
  const { pending } = await migrationState(owner)
  const schema = result('every migration is applied', pending)
  if (pending.length > 0) return [schema]
  return asOwner(owner, async tx => [
    schema,
    result('every table is guarded by row-level security', await findUnguardedTables(tx)),
    result('every trail has the event that began it', await findUnexplainedTrails(tx)),
    result('every trail has the state its template and evidence give it', await findWrongStates(tx)),
    ...Object.entries(await environmentProblems(tx)).map(([check, found]) => result(check, found)),
  ])
}

function result(check: string, found: string[]): CheckResult {
  return { check, ok: found.length === 0, found }
}

/** Judged again by the domain's own rules, which the statement that keeps the states must agree with. */
async function findWrongStates(tx: Db): Promise<string[]> {
  const wrong: string[] = []
  for await (const { name, compliance_state, template, slots, artifacts } of trailsWithEvidence(tx)) {
    const evidence = {
      attestations: evidenceFor(slots, THE_TRAIL),
      artifacts: artifacts.map(({ fingerprint, ...artifact }) => ({
        ...artifact,
        artifact_fingerprint: fingerprint,
        attestations: evidenceFor(slots, artifact.artifact_id),
      })),
    }
    const { status } = judgeTrail(template, evidence)
    if (status !== compliance_state) wrong.push(`${name}: ${compliance_state} is stored, ${status} is right`)
  }
  return wrong
}

function evidenceFor(slots: readonly StoredSlot[], artifact_id: string) {
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

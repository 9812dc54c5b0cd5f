// The part of `admin check` about the evidence store: every attachment that a row refers to must exist and, on request,
// match its hash.
import type pg from 'pg'
import { readMigrationState } from '../db/migrate.ts'
import { withOwnerTransaction } from '../db/owner.ts'
import type { EvidenceStore } from '../evidence/evidence.ts'
import { checkEvidence } from '../evidence/sweep.ts'
import type { CheckResult } from './check.ts'
import { listReferencedEvidence } from './evidence-store.ts'

/** Skipped if migrations are pending, which `checkIntegrity` already reports. */
export async function checkAttachments(
  owner: pg.Client,
  openEvidence: () => Promise<EvidenceStore>,
  options: { verify: boolean },
): Promise<CheckResult[]> {
  if ((await readMigrationState(owner)).pending.length > 0) return []
  const evidence = await openEvidence()
  const report = await withOwnerTransaction(owner, tx =>
    checkEvidence(evidence, listReferencedEvidence(tx), options),
  )
  const missing = report.missing.map(({ org_id, sha256 }) => `${org_id}/${sha256}`)
  const damaged = report.damaged.map(({ org_id, sha256 }) => `${org_id}/${sha256}`)
  const present = {
    check: 'every attachment is in the evidence store',
    ok: missing.length === 0,
    found: missing,
  }
  if (!options.verify) return [present]
  return [present, { check: 'every attachment matches its hash', ok: damaged.length === 0, found: damaged }]
}

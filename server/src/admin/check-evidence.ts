// The part of `admin check` that looks into the evidence store: what rows name must be there, and whole if asked.
import type pg from 'pg'
import { readMigrationState } from '../db/migrate.ts'
import { withOwnerTransaction } from '../db/owner.ts'
import type { EvidenceStore } from '../evidence/evidence.ts'
import { checkEvidence } from '../evidence/sweep.ts'
import type { CheckResult } from './check.ts'
import { listReferencedEvidence } from './evidence-store.ts'

/** Nothing on a schema that is not current: `checkIntegrity` says so already. */
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
  return [
    present,
    { check: 'every attachment is what its hash says', ok: damaged.length === 0, found: damaged },
  ]
}

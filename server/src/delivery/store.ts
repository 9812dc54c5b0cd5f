// The statement with which the sweep checks whether an attachment is still referenced.
import type { Database } from '../db/database.ts'
import { bool, defineStatement, text, uuid } from '../db/statement.ts'

const referenced = defineStatement(
  'evidence.is_referenced',
  { org_id: uuid, sha256: text },
  { is_referenced: bool },
  `select exists (
     select from attestations w where w.org_id = :org_id and w.evidence_sha256 = :sha256
   ) or exists (
     select from attestation_files x where x.org_id = :org_id and x.stored_sha256 = :sha256
   ) as is_referenced`,
)

export async function isEvidenceReferenced(db: Database, org_id: string, sha256: string): Promise<boolean> {
  const [row] = await db.runOnce({ org_id }, referenced, { org_id, sha256 })
  // Without a result nothing is removed.
  return row?.is_referenced ?? true
}

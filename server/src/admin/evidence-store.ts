// The SQL that lists the evidence that rows refer to. It runs across orgs, as the owner.
import type { Db } from '../db/database.ts'
import { defineStatement, text, uuid } from '../db/statement.ts'

const PAGE_SIZE = 1000
const BEFORE_ALL = { org_id: '00000000-0000-0000-0000-000000000000', sha256: '' }

const referenced = defineStatement(
  'evidence.referenced',
  { after_org_id: uuid, after_sha256: text },
  { org_id: uuid, sha256: text },
  // Finds the next row of each table, and takes the first of these.
  `select n.org_id, coalesce(n.sha256, '') as sha256 from (
     (select distinct a.org_id, a.evidence_sha256 as sha256 from attestations a
      where a.evidence_sha256 is not null and (a.org_id, a.evidence_sha256) > (:after_org_id, :after_sha256)
      order by 1, 2 limit ${PAGE_SIZE})
     union
     (select distinct x.org_id, x.stored_sha256 from attestation_files x
      where (x.org_id, x.stored_sha256) > (:after_org_id, :after_sha256)
      order by 1, 2 limit ${PAGE_SIZE})
   ) n
   order by 1, 2
   limit ${PAGE_SIZE}`,
)

/** Every piece of evidence that a row refers to, once. */
export async function* listReferencedEvidence(db: Db): AsyncGenerator<{ org_id: string; sha256: string }> {
  let last = BEFORE_ALL
  for (;;) {
    const page = await db.run(referenced, { after_org_id: last.org_id, after_sha256: last.sha256 })
    yield* page
    const end = page.at(-1)
    if (!end || page.length < PAGE_SIZE) return
    last = end
  }
}

// The bytes of evidence that an organization has stored: one row per organization, updated in the transaction that
// stores the attestation, so the history is never summed.
import type { Database, Db } from '../../db/database.ts'
import { bool, count, defineStatement, text, uuid, uuids } from '../../db/statement.ts'

const read = defineStatement(
  'usage.read',
  { org_id: uuid },
  { evidence_bytes: count },
  'select evidence_bytes from org_usage where org_id = :org_id',
)

export async function getEvidenceBytes(db: Db, org_id: string): Promise<number> {
  return (await db.run(read, { org_id }))[0]?.evidence_bytes ?? 0
}

const findUsage = defineStatement(
  'usage.room',
  { org_id: uuid, sha256: text },
  { evidence_bytes: count, is_stored: bool },
  `select
     coalesce((select u.evidence_bytes from org_usage u where u.org_id = :org_id), 0) as evidence_bytes,
     exists (select from attestations w where w.org_id = :org_id and w.evidence_sha256 = :sha256) as is_stored`,
)

/** The bytes used, and whether this content is already counted. */
export async function findEvidenceUsage(
  db: Database,
  org_id: string,
  sha256: string,
): Promise<{ evidence_bytes: number; is_stored: boolean }> {
  const [found] = await db.runOnce({ org_id }, findUsage, { org_id, sha256 })
  return found ?? { evidence_bytes: 0, is_stored: false }
}

/**
 * Runs in a batch after the attestations are stored and before `countEvidence`. With the row locked, `countEvidence`
 * sees what others stored, so the same content is counted once.
 */
export const lockUsage = defineStatement(
  'usage.lock',
  { org_id: uuid },
  {},
  `insert into org_usage (org_id) values (:org_id)
   on conflict (org_id) do update set evidence_bytes = org_usage.evidence_bytes`,
)

/** Adds the evidence of these attestations, except content that other attestations already store. */
export const countEvidence = defineStatement(
  'usage.count_evidence',
  { org_id: uuid, attestation_ids: uuids },
  {},
  // Looks up each content by itself, because a join could read all attestations of the organization.
  `with stored as (
     select distinct on (w.evidence_sha256) w.evidence_sha256, w.evidence_bytes
     from attestations w
     where w.org_id = :org_id and w.attestation_id = any (:attestation_ids::uuid[])
       and w.evidence_sha256 is not null
       and (
         select true from attestations x
         where x.org_id = :org_id and x.evidence_sha256 = w.evidence_sha256
           and x.attestation_id <> all (:attestation_ids)
         limit 1
       ) is null
   )
   update org_usage set evidence_bytes = org_usage.evidence_bytes + added.bytes
   from (select coalesce(sum(evidence_bytes), 0)::bigint as bytes from stored) added
   where org_usage.org_id = :org_id and added.bytes > 0`,
)

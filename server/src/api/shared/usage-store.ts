// The bytes of evidence that an organization has stored: one row per organization, updated in the transaction that
// stores the attestation, so the history is never summed.
import type { Database, Db } from '../../db/database.ts'
import { count, defineStatement, json, texts, uuid, uuids } from '../../db/statement.ts'

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
  { org_id: uuid, sha256: texts },
  { evidence_bytes: count, stored: json<string[]>() },
  `select
     coalesce((select u.evidence_bytes from org_usage u where u.org_id = :org_id), 0) as evidence_bytes,
     (select coalesce(jsonb_agg(given.sha256), '[]') from unnest(:sha256::text[]) given(sha256)
      where exists (select from attestations w where w.org_id = :org_id and w.evidence_sha256 = given.sha256)
        or exists (select from attestation_files x where x.org_id = :org_id and x.stored_sha256 = given.sha256)) as stored`,
)

/** The bytes used, and which of these contents are already counted. */
export async function findEvidenceUsage(
  db: Database,
  org_id: string,
  sha256: string[],
): Promise<{ evidence_bytes: number; stored: string[] }> {
  const [found] = await db.runOnce({ org_id }, findUsage, { org_id, sha256 })
  return found ?? { evidence_bytes: 0, stored: [] }
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
  // Looks up each content separately, because a join could read all attestations of the organization.
  `with added as (
     select distinct on (n.sha256) n.sha256, n.bytes from (
       select w.evidence_sha256 as sha256, w.evidence_bytes as bytes from attestations w
       where w.org_id = :org_id and w.attestation_id = any (:attestation_ids::uuid[]) and w.evidence_sha256 is not null
       union all
       select x.stored_sha256, x.stored_bytes from attestation_files x
       where x.org_id = :org_id and x.attestation_id = any (:attestation_ids::uuid[])
     ) n
   ), uncounted as (
     select a.bytes from added a
     where (
       select true from attestations x
       where x.org_id = :org_id and x.evidence_sha256 = a.sha256 and x.attestation_id <> all (:attestation_ids)
       limit 1
     ) is null and (
       select true from attestation_files x
       where x.org_id = :org_id and x.stored_sha256 = a.sha256 and x.attestation_id <> all (:attestation_ids)
       limit 1
     ) is null
   )
   update org_usage set evidence_bytes = org_usage.evidence_bytes + more.bytes
   from (select coalesce(sum(bytes), 0)::bigint as bytes from uncounted) more
   where org_usage.org_id = :org_id and more.bytes > 0`,
)

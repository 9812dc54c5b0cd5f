// The statement that finds fingerprints by prefix.
import type { Db } from '../../db/database.ts'
import { bool, defineStatement, nullable, text, uuid } from '../../db/statement.ts'

const listByPrefix = defineStatement(
  'artifacts.fingerprints_beginning',
  { org_id: uuid, flow_id: nullable(uuid), prefix: text, archived: bool },
  { fingerprint: text },
  `select distinct a.fingerprint from artifacts a
   join flows f on f.org_id = a.org_id and f.flow_id = a.flow_id
     and (f.archived_at is not null) = :archived::boolean
   where a.org_id = :org_id and a.fingerprint >= :prefix and a.fingerprint < :prefix || 'g'
     and (:flow_id::uuid is null or a.flow_id = :flow_id)`,
)

/** The fingerprints with this prefix in active or in archived flows, optionally of one flow only. */
export async function listFingerprintsByPrefix(
  db: Db,
  org_id: string,
  filter: { flow_id: string | null; prefix: string; archived: boolean },
): Promise<string[]> {
  return (await db.run(listByPrefix, { org_id, ...filter })).map(({ fingerprint }) => fingerprint)
}

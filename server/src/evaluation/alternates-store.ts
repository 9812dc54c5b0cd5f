// The statement that stores the alternate fingerprints of running artifacts. They stay until the artifact stops.
import type { Db } from '../db/database.ts'
import { defineStatement, text, texts, time, uuid } from '../db/statement.ts'

const add = defineStatement(
  'running.add_alternates',
  { org_id: uuid, environment_id: uuid, keys: texts, fingerprints: texts, actor: text, now: time },
  {},
  `with added as (
     insert into running_alternates (org_id, environment_id, artifact_key, fingerprint)
     select :org_id, :environment_id, s.artifact_key, s.fingerprint
     from unnest(:keys::text[], :fingerprints::text[]) as s(artifact_key, fingerprint)
     on conflict (org_id, environment_id, artifact_key, fingerprint) do nothing
     returning artifact_key
   )
   insert into pending_judgements (org_id, environment_id, artifact_key, cause, actor, marked_at)
   select :org_id, :environment_id, a.artifact_key, 'evidence', :actor, :now
   from (select distinct artifact_key from added) a`,
)

/** Adds each pair once. Artifacts with new alternates are evaluated again: flows may know them by these. */
export async function addAlternates(
  db: Db,
  org_id: string,
  added: {
    environment_id: string
    pairs: readonly (readonly [artifact_key: string, fingerprint: string])[]
    actor: string
    now: Date
  },
): Promise<void> {
  const { pairs, ...rest } = added
  const keys = pairs.map(([key]) => key)
  const fingerprints = pairs.map(([, fingerprint]) => fingerprint)
  await db.run(add, { org_id, ...rest, keys, fingerprints })
}

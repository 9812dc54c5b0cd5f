// The statement that finds attestations by their commits.
import { toSelectList } from '../../db/columns.ts'
import type { Db } from '../../db/database.ts'
import { defineStatement, int, nullable, text, texts, uuid } from '../../db/statement.ts'
import { ATTESTATION, ATTESTATION_TABLES } from './store.ts'

const MAX_PER_COMMIT = 1_000

export interface Criteria {
  commits: string[]
  /** Null means any. */
  flow_id: string | null
  attestation_type: string | null
  attestation_name: string | null
  template_reference_name: string | null
  attestation_id: string | null
}

// An attestation without a commit belongs to the commit of its artifact, or of its trail.
const OF_COMMIT = `
  select x.attestation_id from attestations x
  where x.org_id = :org_id and x.git_commit = requested.git_commit
  union
  select x.attestation_id from artifact_reports r
  join artifacts b on b.org_id = :org_id and b.artifact_id = r.artifact_id
  join attestations x on x.org_id = :org_id and x.trail_id = b.trail_id and x.artifact_id = b.artifact_id
    and x.git_commit is null
  where r.org_id = :org_id and r.git_commit = requested.git_commit
  union
  select x.attestation_id from trails y
  join attestations x on x.org_id = :org_id and x.trail_id = y.trail_id and x.artifact_id is null
    and x.git_commit is null
  where y.org_id = :org_id and y.git_commit = requested.git_commit`

const byCommits = defineStatement(
  'attestations.by_commits',
  {
    org_id: uuid,
    commits: texts,
    flow_id: nullable(uuid),
    attestation_type: nullable(text),
    attestation_name: nullable(text),
    template_reference_name: nullable(text),
    attestation_id: nullable(uuid),
    limit: int,
  },
  { ...ATTESTATION, requested_commit: text },
  `select found.requested_commit, ${toSelectList('w', ATTESTATION)}
   from ${ATTESTATION_TABLES}
   join (
     select requested.git_commit as requested_commit, chosen.attestation_id
     from (select distinct given as git_commit from unnest(:commits::text[]) given) requested
     cross join lateral (
       select z.attestation_id from attestations z
       where z.org_id = :org_id and z.attestation_id in (${OF_COMMIT})
         and (:attestation_id::uuid is null or z.attestation_id = :attestation_id)
         and (:flow_id::uuid is null or z.flow_id = :flow_id)
         and (:attestation_name::text is null or z.attestation_name = :attestation_name)
         and (:attestation_type::text is null or z.attestation_type = :attestation_type
           or (z.attestation_type = 'override'
               and stored_type(z.report ->> 'original_attestation_type') = :attestation_type))
         and (:template_reference_name::text is null or :template_reference_name = any (z.target_artifacts)
           or exists (
             select from artifacts n where n.org_id = :org_id and n.artifact_id = z.artifact_id
               and n.template_reference_name = :template_reference_name))
       order by z.attestation_id desc limit :limit::int
     ) chosen
   ) found on found.attestation_id = w.attestation_id
   where w.org_id = :org_id and f.archived_at is null
   order by w.attestation_id desc`,
)

/** The newest attestations of each commit, newest first. */
export function listAttestationsByCommits(db: Db, org_id: string, criteria: Criteria) {
  return db.run(byCommits, { org_id, ...criteria, limit: MAX_PER_COMMIT })
}

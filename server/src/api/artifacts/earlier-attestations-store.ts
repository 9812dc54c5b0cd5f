// SQL that finds the earlier attestations of artifacts that a statement has just stored (`stored`). Each step is a
// separate lookup (`offset 0`), because a join would read whole tables while they have no statistics.
export const EARLIER_ATTESTATIONS = `
  -- Attestations that waited for a build of this name and commit.
  select stored.artifact_id, stored.trail_id, early.attestation_id
  from stored cross join lateral (
    select x.attestation_id from attestations x where x.org_id = :org_id and x.trail_id = stored.trail_id
      and x.target_artifacts <> '{}' and x.git_commit = stored.git_commit
      and stored.template_reference_name = any (x.target_artifacts) offset 0
  ) early
  union all
  -- Attestations of the same fingerprint under another name.
  select stored.artifact_id, stored.trail_id, s.attestation_id
  from stored
  cross join lateral (
    select x.artifact_id from artifacts x where x.org_id = :org_id and x.trail_id = stored.trail_id
      and x.fingerprint = stored.fingerprint and x.artifact_id <> stored.artifact_id offset 0
  ) twin
  cross join lateral (
    select x.attestation_id from evidence_slots x
    where x.org_id = :org_id and x.trail_id = stored.trail_id and x.artifact_id = twin.artifact_id offset 0
  ) s
  where exists (
    select from attestations x where x.org_id = :org_id and x.attestation_id = s.attestation_id
      and x.artifact_id is not null offset 0
  )`

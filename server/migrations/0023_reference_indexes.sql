-- concurrently
-- min-compatible: 0022
-- Indexes for the foreign keys whose referencing tables grow with use. Without them, deleting an org scans such a table
-- once for every row that it refers to.
create index concurrently trails_of_template on trails (org_id, template_id);
create index concurrently flows_of_template on flows (org_id, template_id);
create index concurrently trails_of_repo on trail_repos (org_id, repo_id);
create index concurrently artifacts_of_repo on artifacts (org_id, repo_id, artifact_id) where repo_id is not null;
create index concurrently attestations_of_artifact on attestations (org_id, artifact_id) where artifact_id is not null;
create index concurrently slots_of_attestation on evidence_slots (org_id, attestation_id);
create index concurrently deployments_of_snapshot on deployments (org_id, environment_id, snapshot_index);
create index concurrently allow_list_of_environment on allow_list (org_id, environment_id);

-- From here on nothing uses the function type_fits and the table template_artifacts, which the version with 0022 still
-- writes. A migration of the next release drops them (`-- unused-since: 0023`).

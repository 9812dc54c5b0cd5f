-- Indexes for the foreign keys whose referencing tables grow with use. Without them, deleting an org scans such a table
-- once for every row that it refers to.
create index trails_of_template on trails (org_id, template_id);
create index flows_of_template on flows (org_id, template_id);
create index trails_of_repo on trail_repos (org_id, repo_id);
create index artifacts_of_repo on artifacts (org_id, repo_id, artifact_id) where repo_id is not null;
create index attestations_of_artifact on attestations (org_id, artifact_id) where artifact_id is not null;
create index slots_of_attestation on evidence_slots (org_id, attestation_id);
create index deployments_of_snapshot on deployments (org_id, environment_id, snapshot_index);
create index allow_list_of_environment on allow_list (org_id, environment_id);

-- Nothing reads these any more: the domain rules compare the types of slots, and a template's artifacts are in `parsed`.
drop function type_fits(text, text);
drop table template_artifacts;

-- Attestations of one flow, newest first, and those that were reported with a commit.
create index attestations_of_flow on attestations (org_id, flow_id, attestation_id);
create index attestations_of_commit on attestations (org_id, git_commit) where git_commit is not null;

-- Listing trails and artifacts by their state, newest first: what is rare must not be searched for among all the others.
create index trails_by_state on trails (org_id, compliance_state, trail_id desc);
create index artifacts_by_state on artifacts (org_id, state, artifact_id desc);

-- concurrently
-- min-compatible: 0022
-- Finds when an artifact last started in an environment, however often it or others have started.
create index concurrently deployments_of_artifact on deployments (org_id, artifact_key, environment_id, deployed_at);

-- Deployments: an artifact that started to run, once for each flow that knew it then, or once without a flow.

create table deployments (
  org_id                  uuid not null,
  deployment_id           uuid not null,
  environment_id          uuid not null,
  snapshot_index          integer not null,
  artifact_key            text collate "C" not null,
  fingerprint             text collate "C" not null,
  artifact_name           text not null,
  -- True for the flow that reported the artifact first, which a list shows.
  is_primary              boolean not null,
  flow_id                 uuid,
  trail_id                uuid,
  artifact_id             uuid,
  template_reference_name text,
  git_commit              text collate "C",
  commit_url              text,
  repo_id                 uuid,
  deployed_at             timestamptz not null,
  lead_time_seconds       double precision,
  -- What it replaced (server/src/domain/snapshot/replaced.ts), or null.
  replaced                json,
  primary key (org_id, deployment_id),
  foreign key (org_id, environment_id, snapshot_index)
    references snapshots (org_id, environment_id, snapshot_index)
);
create index deployments_newest on deployments (org_id, deployed_at, deployment_id) where is_primary;
create index deployments_of_environment on deployments (org_id, environment_id, deployed_at, deployment_id)
  where is_primary;
-- A deployment without a flow fills no slot.
create index deployments_in_slot on deployments
  (org_id, environment_id, flow_id, template_reference_name, snapshot_index) where flow_id is not null;
create index deployments_of_flow on deployments (org_id, flow_id, deployed_at) where flow_id is not null;
create index deployments_of_fingerprint on deployments (org_id, fingerprint, deployed_at);
create index deployments_of_snapshot on deployments (org_id, environment_id, snapshot_index);
-- Finds when an artifact last started in an environment, however often it or others have started.
create index deployments_of_artifact on deployments (org_id, artifact_key, environment_id, deployed_at);
create policy own_org on deployments to waybill_app using (org_id = app_org());
grant select, insert on deployments to waybill_app;

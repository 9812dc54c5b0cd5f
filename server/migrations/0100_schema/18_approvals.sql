-- Approvals, for old integrations: no verdict depends on them.

create table approvals (
  org_id               uuid not null,
  flow_id              uuid not null,
  number               integer not null,
  artifact_fingerprint text collate "C" not null,
  artifact_name        text not null,
  environment_name     text,
  description          text not null,
  state                text not null check (state in ('APPROVED', 'PENDING')),
  approvals            jsonb not null,
  src_commit_list      jsonb not null,
  oldest_commit        text,
  user_data            jsonb,
  created_by           text not null,
  created_at           timestamptz not null,
  last_modified_at     timestamptz not null,
  primary key (org_id, flow_id, number),
  foreign key (org_id, flow_id) references flows (org_id, flow_id)
);
create index approvals_of_artifact on approvals (org_id, flow_id, artifact_fingerprint, number);
create policy own_org on approvals to waybill_app using (org_id = app_org());
grant select, insert on approvals to waybill_app;

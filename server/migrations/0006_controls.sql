-- Controls, their versions and what was decided about them; approvals, which are kept for those who still use them.

create table controls (
  org_id           uuid not null references orgs (org_id),
  control_id       uuid not null,
  -- What policies and decisions name it by; never changes.
  identifier       text collate "C" not null,
  name             text not null,
  description      text,
  -- Label to address.
  links            jsonb not null default '{}',
  tags             jsonb not null default '{}',
  version          integer not null default 1,
  created_by       text not null,
  created_at       timestamptz not null,
  last_modified_at timestamptz not null,
  archived_at      timestamptz,
  primary key (org_id, control_id),
  unique (org_id, identifier)
);

-- The definition after each change. Tags are not part of it.
create table control_versions (
  org_id      uuid not null,
  control_id  uuid not null,
  version     integer not null,
  kind        text not null check (kind in ('Created', 'Edited', 'Archived', 'Unarchived')),
  name        text not null,
  description text,
  links       jsonb not null,
  changed_by  text not null,
  changed_at  timestamptz not null,
  primary key (org_id, control_id, version),
  foreign key (org_id, control_id) references controls (org_id, control_id)
);

-- The version of the control that a decision was made on; null when there was no such control.
alter table attestations add control_version integer;
create index attestations_on_control on attestations (org_id, control, attestation_id) where control is not null;

alter table events add control_id uuid;
create index events_of_control on events (org_id, control_id, event_id) where control_id is not null;

alter table flows add approvals integer not null default 0;
comment on column flows.approvals is 'The number of the newest approval.';

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

create policy own_org on controls to waybill_app using (org_id = app_org());
create policy own_org on control_versions to waybill_app using (org_id = app_org());
create policy own_org on approvals to waybill_app using (org_id = app_org());

grant select, insert, update on controls to waybill_app;
grant select, insert on control_versions, approvals to waybill_app;

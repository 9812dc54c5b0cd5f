-- min-compatible: 0022
-- Other fingerprints of the artifacts that run, by which evidence about them is found (docs/adr/0037-times-of-clients.md). Removed
-- together with the running artifact, also by a process of an earlier version.
create table running_alternates (
  org_id         uuid not null,
  environment_id uuid not null,
  artifact_key   text collate "C" not null,
  fingerprint    text collate "C" not null,
  primary key (org_id, environment_id, artifact_key, fingerprint),
  foreign key (org_id, environment_id, artifact_key)
    references running_artifacts (org_id, environment_id, artifact_key) on delete cascade
);
create index running_alternates_by_fingerprint on running_alternates (org_id, fingerprint);

alter table running_alternates enable row level security;
alter table running_alternates force row level security;
create policy own_org on running_alternates to waybill_app using (org_id = app_org());
grant select, insert on running_alternates to waybill_app;

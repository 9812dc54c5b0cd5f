-- Policies: rules about which artifacts may run in an environment, and the allow-list of those that may run whatever the
-- policies say.

create table policies (
  org_id           uuid not null references orgs (org_id),
  policy_id        uuid not null,
  name             text not null,
  description      text not null,
  latest_version   integer not null,
  created_by       text not null,
  created_at       timestamptz not null,
  last_modified_at timestamptz not null,
  archived_at      timestamptz,
  primary key (org_id, policy_id),
  unique (org_id, name)
);
create policy own_org on policies to waybill_app using (org_id = app_org());
grant select, insert, update on policies to waybill_app;

create table policy_versions (
  org_id      uuid not null,
  policy_id   uuid not null,
  version     integer not null,
  comment     text not null,
  policy_yaml text not null,
  -- The policy_yaml as parsed by server/src/domain/policy/policy.ts.
  parsed      jsonb not null,
  created_by  text not null,
  created_at  timestamptz not null,
  primary key (org_id, policy_id, version),
  foreign key (org_id, policy_id) references policies (org_id, policy_id)
);
create policy own_org on policy_versions to waybill_app using (org_id = app_org());
-- Like the events policy: the application can erase and change nothing else.
create policy only_erase on policy_versions as restrictive for update to waybill_app
  using (true) with check (created_by = 'erased');
grant select, insert, update (created_by) on policy_versions to waybill_app;

-- The policies of each environment, in the order in which they were sent.
create table environment_policies (
  org_id         uuid not null,
  environment_id uuid not null,
  policy_id      uuid not null,
  position       integer not null default 0,
  attached_by    text not null,
  attached_at    timestamptz not null,
  primary key (org_id, environment_id, policy_id),
  foreign key (org_id, environment_id) references environments (org_id, environment_id),
  foreign key (org_id, policy_id) references policies (org_id, policy_id)
);
create index environments_of_policy on environment_policies (org_id, policy_id);
create policy own_org on environment_policies to waybill_app using (org_id = app_org());
grant select, insert, update (position), delete on environment_policies to waybill_app;

create table allow_list (
  org_id         uuid not null,
  entry_id       uuid not null,
  environment_id uuid not null,
  fingerprint    text collate "C" not null check (fingerprint ~ '^[a-f0-9]{64}$'),
  artifact_name  text not null,
  description    text not null,
  created_by     text not null,
  created_at     timestamptz not null,
  expires_at     timestamptz,
  -- Set when somebody removed the entry, or when it expired; in the latter case ended_by is null.
  ended_at       timestamptz,
  ended_by       text,
  primary key (org_id, entry_id),
  foreign key (org_id, environment_id) references environments (org_id, environment_id)
);
create unique index allow_list_in_force on allow_list (org_id, environment_id, fingerprint) where ended_at is null;
create index allow_list_of_environment on allow_list (org_id, environment_id);
create index allow_list_by_expiry on allow_list (expires_at) where ended_at is null and expires_at is not null;
-- The worker finds expired entries.
create policy own_org_or_worker on allow_list to waybill_app using (org_id = app_org() or app_worker());
grant select, insert, update on allow_list to waybill_app;

-- Environments, what runs in them, snapshots as intervals, policies, the allow-list and deployments.

alter table events add environment_id uuid, add policy_id uuid;
create index events_of_environment on events (org_id, environment_id, event_id) where environment_id is not null;
create index events_of_policy on events (org_id, policy_id, event_id) where policy_id is not null;

-- Where an interval of snapshot numbers is filed in a binary tree over all numbers: at the one of its numbers that is
-- highest in the tree. Whatever contains a number is filed on the way from that number to the root, so that reading an
-- early snapshot costs what reading a late one costs, with plain indexes that row-level security lets PostgreSQL use
-- (server/src/domain/snapshot/tree.ts says the same; docs/adr/0010).
create function interval_node(first integer, last integer) returns integer language sql immutable parallel safe as $$
  select (last >> place.of_bit) << place.of_bit
  from (select 31 - position('1' in ((first - 1) # last)::bit(32)::text) + 1 as of_bit) place
$$;

create table environments (
  org_id             uuid not null references orgs (org_id),
  environment_id     uuid not null,
  name               text not null,
  type               text not null check (type in
    ('K8S', 'ECS', 'S3', 'lambda', 'server', 'docker', 'cloudx-apps', 'cloud-run', 'logical')),
  description        text not null,
  include_scaling    boolean not null default false,
  require_provenance boolean not null default false,
  tags               jsonb not null default '{}',
  -- The verdict of the latest snapshot; null is unknown.
  state              boolean,
  latest_index       integer not null default 0,
  last_changed_at    timestamptz,
  last_reported_at   timestamptz,
  -- What the latest report said, so that one that says the same is known without reading anything else.
  report_sha256      text,
  created_by         text not null,
  created_at         timestamptz not null,
  last_modified_at   timestamptz not null,
  archived_at        timestamptz,
  primary key (org_id, environment_id),
  unique (org_id, name)
);

create table former_environment_names (
  org_id         uuid not null,
  name           text not null,
  environment_id uuid not null,
  primary key (org_id, name),
  foreign key (org_id, environment_id) references environments (org_id, environment_id)
);

-- The environment a name means: the one that bears it, else the one that last bore it. Archived ones too: callers are
-- told that it is archived.
create function environment_named(wanted_org uuid, wanted_name text) returns uuid language sql stable parallel safe as $$
  select coalesce(
    (select e.environment_id from environments e where e.org_id = wanted_org and e.name = wanted_name),
    (select n.environment_id from former_environment_names n where n.org_id = wanted_org and n.name = wanted_name))
$$;

-- Which physical environments a logical one combines.
create table environment_members (
  org_id         uuid not null,
  environment_id uuid not null,
  member_id      uuid not null,
  primary key (org_id, environment_id, member_id),
  foreign key (org_id, environment_id) references environments (org_id, environment_id),
  foreign key (org_id, member_id) references environments (org_id, environment_id)
);
create index environments_of_member on environment_members (org_id, member_id);

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
create table policy_versions (
  org_id      uuid not null,
  policy_id   uuid not null,
  version     integer not null,
  comment     text not null,
  policy_yaml text not null,
  -- What it says once read (server/src/domain/policy/policy.ts).
  parsed      jsonb not null,
  created_by  text not null,
  created_at  timestamptz not null,
  primary key (org_id, policy_id, version),
  foreign key (org_id, policy_id) references policies (org_id, policy_id)
);
create table environment_policies (
  org_id         uuid not null,
  environment_id uuid not null,
  policy_id      uuid not null,
  attached_by    text not null,
  attached_at    timestamptz not null,
  primary key (org_id, environment_id, policy_id),
  foreign key (org_id, environment_id) references environments (org_id, environment_id),
  foreign key (org_id, policy_id) references policies (org_id, policy_id)
);
create index environments_of_policy on environment_policies (org_id, policy_id);

-- Artifacts that may run in an environment whatever its policies say.
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
  -- Set when it was removed or has expired; then who did it, null for time itself.
  ended_at       timestamptz,
  ended_by       text,
  primary key (org_id, entry_id),
  foreign key (org_id, environment_id) references environments (org_id, environment_id)
);
create unique index allow_list_in_force on allow_list (org_id, environment_id, fingerprint) where ended_at is null;
create index allow_list_by_expiry on allow_list (expires_at) where ended_at is null and expires_at is not null;

-- What runs now, and what is known of it now. A snapshot is taken of this table; what changed since the latest snapshot
-- without being worth one waits here for the next.
create table running_artifacts (
  org_id         uuid not null,
  environment_id uuid not null,
  -- The fingerprint, or `name:` and the name where the digest is unknown.
  artifact_key   text collate "C" not null,
  fingerprint    text collate "C" not null,
  name           text not null,
  instance_count integer not null,
  instances      json not null,
  -- Tells whether a report says anything new of it.
  detail_hash    text not null,
  -- What it replaced when it started, one for each flow in which it replaced something.
  replaced       json not null,
  -- Null is unknown: no policy is attached.
  compliant      boolean,
  -- What the verdict rests on: flows, decisions of the policies, reasons.
  evaluation     json not null,
  flow_ids       uuid[] not null,
  repo_ids       uuid[] not null,
  -- What the next snapshot says of it, and its number of instances in the latest one.
  annotation     text,
  was            integer not null,
  is_run_ahead     boolean not null,
  is_verdict_ahead boolean not null,
  primary key (org_id, environment_id, artifact_key),
  foreign key (org_id, environment_id) references environments (org_id, environment_id)
);
create index running_by_fingerprint on running_artifacts (org_id, fingerprint);
create index running_ahead on running_artifacts (org_id, environment_id)
  where is_run_ahead or is_verdict_ahead or annotation is not null;

create table snapshots (
  org_id              uuid not null,
  environment_id      uuid not null,
  snapshot_index      integer not null,
  created_at          timestamptz not null,
  compliant           boolean,
  compliant_count     integer not null,
  non_compliant_count integer not null,
  unknown_count       integer not null,
  -- Which version of each policy was in force: [{policy_id, version}].
  applied_policies    jsonb not null,
  -- Of a logical environment, the snapshots it combines: [{environment_id, snapshot_index}].
  members             jsonb,
  cause               text not null check (cause in ('report', 'evidence', 'policies', 'allow-list', 'members')),
  actor               text not null,
  primary key (org_id, environment_id, snapshot_index),
  foreign key (org_id, environment_id) references environments (org_id, environment_id)
);
create index snapshots_by_time on snapshots (org_id, environment_id, created_at, snapshot_index);

-- An artifact that ran unchanged from one snapshot up to, and not including, another.
create table runs (
  org_id         uuid not null,
  environment_id uuid not null,
  run_id         uuid not null,
  artifact_key   text collate "C" not null,
  fingerprint    text collate "C" not null,
  name           text not null,
  instance_count integer not null,
  instances      json not null,
  replaced       json not null,
  from_index     integer not null,
  to_index       integer,
  -- True when it ran no more after this; false when only something about it changed.
  is_exit        boolean not null default false,
  node           integer generated always as (interval_node(from_index, to_index - 1)) stored,
  primary key (org_id, environment_id, run_id),
  foreign key (org_id, environment_id) references environments (org_id, environment_id)
);
create unique index runs_open on runs (org_id, environment_id, artifact_key) where to_index is null;
create index runs_open_since on runs (org_id, environment_id, from_index) where to_index is null;
create index runs_by_end on runs (org_id, environment_id, node, to_index);
create index runs_by_start on runs (org_id, environment_id, node, from_index);
create index runs_ended on runs (org_id, environment_id, to_index) where is_exit;
create index runs_of_fingerprint on runs (org_id, fingerprint, from_index);

-- What an artifact was judged to be, likewise. Apart from the runs: neither changes with the other.
create table verdicts (
  org_id         uuid not null,
  environment_id uuid not null,
  verdict_id     uuid not null,
  artifact_key   text collate "C" not null,
  compliant      boolean,
  evaluation     json not null,
  from_index     integer not null,
  to_index       integer,
  node           integer generated always as (interval_node(from_index, to_index - 1)) stored,
  primary key (org_id, environment_id, verdict_id),
  foreign key (org_id, environment_id) references environments (org_id, environment_id)
);
create unique index verdicts_open on verdicts (org_id, environment_id, artifact_key) where to_index is null;
create index verdicts_open_since on verdicts (org_id, environment_id, from_index) where to_index is null;
create index verdicts_by_end on verdicts (org_id, environment_id, node, to_index);
create index verdicts_by_start on verdicts (org_id, environment_id, node, from_index);
create index verdicts_ended on verdicts (org_id, environment_id, artifact_key, to_index);

-- What happened to which artifact, one row each: the log of the environment, and the annotations of its snapshots.
create table environment_events (
  org_id              uuid not null,
  environment_id      uuid not null,
  snapshot_index      integer not null,
  artifact_key        text collate "C" not null,
  happened_at         timestamptz not null,
  type                text not null,
  fingerprint         text collate "C" not null,
  artifact_name       text not null,
  was                 integer not null,
  now                 integer not null,
  artifact_compliance boolean,
  snapshot_compliance boolean,
  flow_ids            uuid[] not null,
  repo_ids            uuid[] not null,
  code_diff           text,
  primary key (org_id, environment_id, snapshot_index, artifact_key),
  foreign key (org_id, environment_id, snapshot_index)
    references snapshots (org_id, environment_id, snapshot_index)
);
create index environment_events_by_time on environment_events (org_id, environment_id, happened_at, snapshot_index, artifact_key);

-- An artifact that started to run, once for each flow that knew it then; once without a flow when none did.
create table deployments (
  org_id         uuid not null,
  deployment_id  uuid not null,
  environment_id uuid not null,
  snapshot_index integer not null,
  artifact_key   text collate "C" not null,
  fingerprint    text collate "C" not null,
  artifact_name  text not null,
  -- The flow that reported it first is the one a list shows.
  is_primary     boolean not null,
  flow_id        uuid,
  trail_id       uuid,
  artifact_id    uuid,
  template_reference_name text,
  git_commit     text collate "C",
  commit_url     text,
  repo_id        uuid,
  deployed_at    timestamptz not null,
  lead_time_seconds double precision,
  -- What it replaced (server/src/domain/snapshot/replaced.ts), or null.
  replaced       json,
  primary key (org_id, deployment_id),
  foreign key (org_id, environment_id, snapshot_index)
    references snapshots (org_id, environment_id, snapshot_index)
);
create index deployments_newest on deployments (org_id, deployed_at, deployment_id) where is_primary;
create index deployments_of_environment on deployments (org_id, environment_id, deployed_at, deployment_id) where is_primary;
create index deployments_of_slot on deployments (org_id, environment_id, flow_id, template_reference_name, snapshot_index);
create index deployments_of_flow on deployments (org_id, flow_id, deployed_at) where flow_id is not null;
create index deployments_of_fingerprint on deployments (org_id, fingerprint, deployed_at);

-- Environments to be judged again, appended by whatever may change a verdict and taken by the transaction that judges:
-- nobody who reports evidence ever waits for a judgement. Without a key, everything that runs there.
create table pending_judgements (
  org_id         uuid not null,
  mark_id        uuid not null default gen_random_uuid(),
  environment_id uuid not null,
  artifact_key   text collate "C",
  cause          text not null,
  actor          text not null,
  marked_at      timestamptz not null,
  primary key (org_id, mark_id),
  foreign key (org_id, environment_id) references environments (org_id, environment_id)
);
create index pending_of_environment on pending_judgements (org_id, environment_id);

create policy own_org on environments to waybill_app using (org_id = app_org());
create policy own_org on former_environment_names to waybill_app using (org_id = app_org());
create policy own_org on environment_members to waybill_app using (org_id = app_org());
create policy own_org on policies to waybill_app using (org_id = app_org());
create policy own_org on policy_versions to waybill_app using (org_id = app_org());
create policy own_org on environment_policies to waybill_app using (org_id = app_org());
create policy own_org_or_worker on allow_list to waybill_app using (org_id = app_org() or app_worker());
create policy own_org on running_artifacts to waybill_app using (org_id = app_org());
create policy own_org on snapshots to waybill_app using (org_id = app_org());
create policy own_org on runs to waybill_app using (org_id = app_org());
create policy own_org on verdicts to waybill_app using (org_id = app_org());
create policy own_org on environment_events to waybill_app using (org_id = app_org());
create policy own_org on deployments to waybill_app using (org_id = app_org());
create policy own_org_or_worker on pending_judgements to waybill_app using (org_id = app_org() or app_worker());

grant select, insert on policy_versions, snapshots, environment_events, deployments to waybill_app;
grant select, insert, update on environments, policies, allow_list to waybill_app;
-- An interval is only ever closed: what it says stays.
grant select, insert on runs, verdicts to waybill_app;
grant update (to_index, is_exit) on runs to waybill_app;
grant update (to_index) on verdicts to waybill_app;
grant select, insert, update, delete on former_environment_names, running_artifacts to waybill_app;
grant select, insert, delete on environment_members, environment_policies, pending_judgements to waybill_app;

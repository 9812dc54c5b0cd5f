-- Snapshots of environments, numbered from 1. Running artifacts and their evaluations are intervals of snapshot
-- numbers: a snapshot stores no copy of what did not change (docs/adr/0010-snapshots-as-intervals.md).

create table snapshots (
  org_id              uuid not null,
  environment_id      uuid not null,
  snapshot_index      integer not null,
  created_at          timestamptz not null,
  compliant           boolean,
  compliant_count     integer not null,
  non_compliant_count integer not null,
  unknown_count       integer not null,
  -- The version of each policy that was in force: [{policy_id, version}].
  applied_policies    jsonb not null,
  -- For a logical environment, the snapshots that it combines: [{environment_id, snapshot_index}].
  members             jsonb,
  cause               text not null
    check (cause in ('report', 'evidence', 'policies', 'allow-list', 'members', 'expired-decision')),
  -- For the cause 'expired-decision', which decisions expired (docs/adr/0063-decisions-expire.md).
  expired_decisions   jsonb,
  actor               text not null,
  -- When the report behind the snapshot was observed, and whether it was partial
  -- (docs/adr/0037-times-of-clients.md).
  observed_at         timestamptz,
  is_partial          boolean,
  primary key (org_id, environment_id, snapshot_index),
  foreign key (org_id, environment_id) references environments (org_id, environment_id)
);
create index snapshots_by_time on snapshots (org_id, environment_id, created_at, snapshot_index);
create policy own_org on snapshots to waybill_app using (org_id = app_org());
grant select, insert on snapshots to waybill_app;

-- The node at which an interval is stored in a binary tree over all snapshot numbers: the interval's highest number
-- in the tree. All intervals that contain a number are then on the path from it to the root, so that reading an
-- early snapshot costs as much as reading a late one, with plain indexes. server/src/domain/snapshot/tree.ts
-- computes the same. An expression, which PostgreSQL copies into the statements that use it: a call would cost more
-- than the rest of the row.
create function interval_node(first integer, last integer) returns integer
  language sql immutable strict parallel safe
  return (last >> (32 - position('1' in ((first - 1) # last)::bit(32)::text)))
    << (32 - position('1' in ((first - 1) # last)::bit(32)::text));

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
  -- Null while it is running.
  to_index       integer,
  -- True if it stopped then; false if only something about it changed.
  is_exit        boolean not null default false,
  node           integer generated always as (interval_node(from_index, to_index - 1)) stored,
  primary key (org_id, environment_id, run_id),
  foreign key (org_id, environment_id) references environments (org_id, environment_id)
);
create unique index runs_open on runs (org_id, environment_id, artifact_key) where to_index is null;
-- An open interval is at no node of the tree. Leaving it out of these indexes halves the cost of an artifact that
-- starts.
create index runs_closed_by_end on runs (org_id, environment_id, node, to_index) where node is not null;
create index runs_closed_by_start on runs (org_id, environment_id, node, from_index) where node is not null;
create index runs_ended on runs (org_id, environment_id, to_index) where is_exit;
create index runs_of_fingerprint on runs (org_id, fingerprint, from_index);
create policy own_org on runs to waybill_app using (org_id = app_org());
-- An interval can only be closed: its content stays.
grant select, insert, update (to_index, is_exit) on runs to waybill_app;

-- The verdicts on artifacts, likewise. Separate from the runs, because neither changes with the other.
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
create index verdicts_closed_by_end on verdicts (org_id, environment_id, node, to_index)
  where node is not null;
create index verdicts_closed_by_start on verdicts (org_id, environment_id, node, from_index)
  where node is not null;
create index verdicts_closed on verdicts (org_id, environment_id, artifact_key, to_index)
  where to_index is not null;
create policy own_org on verdicts to waybill_app using (org_id = app_org());
grant select, insert, update (to_index) on verdicts to waybill_app;

-- What happened to each artifact, one row each: the log of the environment, and the annotations of its snapshots.
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
create index environment_events_by_time on environment_events
  (org_id, environment_id, happened_at, snapshot_index, artifact_key);
create policy own_org on environment_events to waybill_app using (org_id = app_org());
grant select, insert on environment_events to waybill_app;

-- Environments: where artifacts run, their reporters, and late reports.

create table environments (
  org_id                   uuid not null references orgs (org_id),
  environment_id           uuid not null,
  name                     text not null,
  type                     text not null check (type in
    ('K8S', 'ECS', 'S3', 'lambda', 'server', 'docker', 'cloudx-apps', 'cloud-run', 'logical')),
  -- The client's own word for the type; null if it used ours. The API returns it as the type, because existing
  -- clients compare what they read with what they wrote.
  client_type              text,
  description              text not null,
  include_scaling          boolean not null default false,
  require_provenance       boolean not null default false,
  tags                     jsonb not null default '{}',
  -- The verdict of the newest snapshot; null is unknown.
  state                    boolean,
  latest_index             integer not null default 0,
  last_changed_at          timestamptz,

  -- The newest report. Its hash identifies a repeated report without reading anything else.
  last_reported_at         timestamptz,
  report_sha256            text,
  -- The report's own statements (docs/adr/0037-times-of-clients.md): when it was observed (null if not stated), the
  -- name, version and scope of the reporter, since when all reports are partial (null if it is complete), and what
  -- it could not list.
  observed_at              timestamptz,
  reporter                 jsonb,
  partial_since            timestamptz,
  missing                  jsonb,
  -- Reports without changes leave one event per hour (docs/adr/0029-a-log-nobody-can-rewrite.md): how many came
  -- since that event, since when, and the report that it was recorded with.
  unlogged_reports         int not null default 0,
  unlogged_since           timestamptz,
  confirmed_at             timestamptz,

  -- How many seconds may pass between two reports; null for any number. After three times that long the environment
  -- is stale.
  expected_report_interval integer check (expected_report_interval > 0),
  stale_at                 timestamptz generated always as (
    ((last_reported_at at time zone 'UTC') + make_interval(secs => 3.0 * expected_report_interval)) at time zone 'UTC'
  ) stored,
  -- Set when the event is recorded; cleared by the next report.
  stale_noticed_at         timestamptz,

  created_by               text not null,
  created_at               timestamptz not null,
  last_modified_at         timestamptz not null,
  archived_at              timestamptz,
  primary key (org_id, environment_id),
  unique (org_id, name)
);
create index environments_by_silence on environments (stale_at) where stale_at is not null and archived_at is null;
create policy own_org on environments to waybill_app using (org_id = app_org());
-- The worker finds the environments that became stale, and records the event under their organization.
create policy worker_looks on environments for select to waybill_app using (app_worker());
grant select, insert, update on environments to waybill_app;

create table former_environment_names (
  org_id         uuid not null,
  name           text not null,
  environment_id uuid not null,
  primary key (org_id, name),
  foreign key (org_id, environment_id) references environments (org_id, environment_id)
);
create policy own_org on former_environment_names to waybill_app using (org_id = app_org());
grant select, insert, update, delete on former_environment_names to waybill_app;

-- The environment with this name, or else the one that had it last. Includes archived ones: the API reports that
-- they are archived.
create function environment_named(wanted_org uuid, wanted_name text) returns uuid language sql stable parallel safe as $$
  select coalesce(
    (select e.environment_id from environments e where e.org_id = wanted_org and e.name = wanted_name),
    (select n.environment_id from former_environment_names n where n.org_id = wanted_org and n.name = wanted_name))
$$;

-- By name or by id: an environment of another type can take over the name of an archived one, which is then read by
-- its id. The API shows the first 32 characters of an id.
create function environment_meant(wanted_org uuid, wanted text) returns uuid language sql stable parallel safe as $$
  select coalesce(
    environment_named(wanted_org, wanted),
    (select e.environment_id from environments e
     where e.org_id = wanted_org and e.environment_id =
       case when wanted ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8}$'
            then (wanted || '0000')::uuid end))
$$;

-- The physical environments that a logical one combines, in the order in which they were sent.
create table environment_members (
  org_id         uuid not null,
  environment_id uuid not null,
  member_id      uuid not null,
  position       integer not null default 0,
  primary key (org_id, environment_id, member_id),
  foreign key (org_id, environment_id) references environments (org_id, environment_id),
  foreign key (org_id, member_id) references environments (org_id, environment_id)
);
create index environments_of_member on environment_members (org_id, member_id);
create policy own_org on environment_members to waybill_app using (org_id = app_org());
grant select, insert, update (position), delete on environment_members to waybill_app;

-- Reports that were older than the newest one of their environment when they arrived
-- (docs/adr/0037-times-of-clients.md).
create table late_reports (
  org_id         uuid not null,
  late_report_id uuid not null,
  environment_id uuid not null,
  observed_at    timestamptz not null,
  received_at    timestamptz not null,
  report_sha256  text not null,
  -- The artifacts with their instances, and the report's own statements. The leaf of its event has a hash of this
  -- text.
  content        json not null,
  -- The columns for lists of late reports, which do not read the content. Null in rows of earlier versions: those
  -- are read from the content, which lacks the newest time and the sender.
  artifact_count int,
  reporter       jsonb,
  missing        jsonb,
  newest_at      timestamptz,
  reported_by    text,
  primary key (org_id, late_report_id),
  unique (org_id, environment_id, observed_at, report_sha256),
  foreign key (org_id, environment_id) references environments (org_id, environment_id)
);
create policy own_org on late_reports to waybill_app using (org_id = app_org());
grant select, insert on late_reports to waybill_app;

/*
 * How many environments of each organization are in each state, and when something was last recorded. Covers only
 * organizations that the transaction's person belongs to: row-level security shows a transaction one organization
 * at a time.
 */
create function states_of_own_orgs(org_ids uuid[], at timestamptz)
  returns table (org_id uuid, compliant bigint, non_compliant bigint, unknown bigint, stale bigint, logged_ms bigint)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select o.org_id, s.compliant, s.non_compliant, s.unknown, s.stale, h.logged_ms
  from unnest(org_ids) as o (org_id)
  join public.memberships m on m.org_id = o.org_id and m.user_id = public.app_user()
    and not exists (select from public.frozen_orgs f where f.org_id = o.org_id and f.moved_to is not null)
  left join public.log_heads h on h.org_id = o.org_id
  cross join lateral (
    select count(*) filter (where e.state and not e.is_stale) as compliant,
      count(*) filter (where e.state is false) as non_compliant,
      count(*) filter (where e.state is null and not e.is_stale) as unknown,
      count(*) filter (where e.state is not false and e.is_stale) as stale
    from (
      select x.state, coalesce(coalesce(x.stale_at, (
        select min(y.stale_at) from public.environment_members n
        join public.environments y on y.org_id = n.org_id and y.environment_id = n.member_id
        where n.org_id = x.org_id and n.environment_id = x.environment_id)) <= at, false) as is_stale
      from public.environments x where x.org_id = o.org_id and x.archived_at is null
    ) e
  ) s
$$;
revoke all on function states_of_own_orgs(uuid[], timestamptz) from public;
grant execute on function states_of_own_orgs(uuid[], timestamptz) to waybill_app;

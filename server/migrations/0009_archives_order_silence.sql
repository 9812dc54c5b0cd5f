-- What is archived can be read, lists keep the order in which they were sent, and silence of a reporter is a state.

-- The flow a name means, archived or not: one that is not archived wins.
create function flow_meant(wanted_org uuid, wanted_name text) returns uuid language sql stable parallel safe as $$
  select coalesce(
    flow_named(wanted_org, wanted_name),
    (select f.flow_id from flows f where f.org_id = wanted_org and f.name = wanted_name),
    (select n.flow_id from former_flow_names n where n.org_id = wanted_org and n.name = wanted_name))
$$;

-- What a name or an id means: an environment of another type takes over the name of an archived one, which is then read by
-- its id. Outside, an id is the first 32 characters.
create function environment_meant(wanted_org uuid, wanted text) returns uuid language sql stable parallel safe as $$
  select coalesce(
    environment_named(wanted_org, wanted),
    (select e.environment_id from environments e
     where e.org_id = wanted_org and e.environment_id =
       case when wanted ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8}$'
            then (wanted || '0000')::uuid end))
$$;

-- The order in which they were sent; what is there already was shown by name.
alter table environment_members add position integer not null default 0;
update environment_members m set position = ordered.nth
from (
  select x.org_id, x.environment_id, x.member_id,
    row_number() over (partition by x.org_id, x.environment_id order by e.name) as nth
  from environment_members x join environments e on e.org_id = x.org_id and e.environment_id = x.member_id
) ordered
where m.org_id = ordered.org_id and m.environment_id = ordered.environment_id and m.member_id = ordered.member_id;
alter table environment_policies add position integer not null default 0;
update environment_policies a set position = ordered.nth
from (
  select x.org_id, x.environment_id, x.policy_id,
    row_number() over (partition by x.org_id, x.environment_id order by p.name) as nth
  from environment_policies x join policies p on p.org_id = x.org_id and p.policy_id = x.policy_id
) ordered
where a.org_id = ordered.org_id and a.environment_id = ordered.environment_id and a.policy_id = ordered.policy_id;
alter table notification_environments add position integer not null default 0;
update notification_environments n set position = ordered.nth
from (
  select x.org_id, x.notification_id, x.environment_id,
    row_number() over (partition by x.org_id, x.notification_id order by e.name) as nth
  from notification_environments x join environments e on e.org_id = x.org_id and e.environment_id = x.environment_id
) ordered
where n.org_id = ordered.org_id and n.notification_id = ordered.notification_id
  and n.environment_id = ordered.environment_id;
grant update (position) on environment_members, environment_policies, notification_environments to waybill_app;

-- How many seconds may pass between two reports; null: any number. After three of them the environment is stale.
alter table environments add expected_report_interval integer check (expected_report_interval > 0);
alter table environments add stale_at timestamptz generated always as (
  ((last_reported_at at time zone 'UTC') + make_interval(secs => 3.0 * expected_report_interval)) at time zone 'UTC'
) stored;
-- Set when the event of it is written; cleared by the next report.
alter table environments add stale_noticed_at timestamptz;
create index environments_by_silence on environments (stale_at) where stale_at is not null and archived_at is null;
-- The worker finds those that fell silent; it says so under the org they are of.
create policy worker_looks on environments for select to waybill_app using (app_worker());

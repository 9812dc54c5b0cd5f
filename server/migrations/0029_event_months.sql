-- min-compatible: 0022
-- Events by month, first of three steps (docs/adr/0025-events-by-month.md). A small table is partitioned at once. A
-- large one gets a check, which 0030 validates, so that 0031 can attach it without reading it.

/* The smallest event id of a month. */
create function first_event_id(month date) returns uuid language sql immutable parallel safe as $$
  select rpad(lpad(to_hex((extract(epoch from month::timestamp) * 1000)::bigint), 12, '0'), 32, '0')::uuid
$$;

/* The first day of the month of an event id, in UTC. */
create function month_of_event(event_id uuid) returns date language sql immutable parallel safe as $$
  select date_trunc('month', timestamp '1970-01-01' +
    ('x0000' || left(replace(event_id::text, '-', ''), 12))::bit(64)::bigint * interval '1 millisecond')::date
$$;

/* One bound of a partition of events: null if it reaches to the end, or if there is no such partition. */
create function event_bound(partition text, side text) returns uuid language sql stable as $$
  select substring(pg_get_expr(relpartbound, oid) from upper(side) || ' \(''([0-9a-f-]{36})''\)')::uuid
  from pg_class where oid = to_regclass('public.' || quote_ident(partition))
$$;

/* Where the kept events begin; null if none were ever detached. */
create function events_kept_from() returns uuid language sql stable as $$
  select event_bound('events_earlier', 'to')
$$;

/* A table for some of the events, which nobody but the owner can use directly. Not yet attached. */
create function create_event_table(name text) returns void language plpgsql as $$
begin
  execute format('create table public.%I (like public.events including all)', name);
  execute format('alter table public.%I enable row level security', name);
  execute format('alter table public.%I force row level security', name);
  execute format('create policy administration on public.%I to %I using (true)', name, current_user);
end $$;

/*
 * Makes the months up to, but not including, the given one, at most 24. Returns their number. Moves the events that
 * events_later has of them, or fails if there are more than max_moved.
 */
create function split_later_events(end_month date, max_moved bigint) returns integer language plpgsql
  security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  month date := month_of_event(event_bound('events_later', 'from'));
  made integer := 0;
  next_month date;
  name text;
begin
  if month >= end_month then return 0; end if;
  lock table only events in access exclusive mode;
  -- Another process may have made them meanwhile.
  month := month_of_event(event_bound('events_later', 'from'));
  end_month := least(end_month, (month + interval '24 months')::date);
  if month >= end_month then return 0; end if;
  if (select count(*) from (
    select from events_later where event_id < first_event_id(end_month) limit max_moved + 1) found) > max_moved
  then
    raise exception 'events_later has more than % events; run "admin events prepare"', max_moved;
  end if;
  alter table events detach partition events_later;
  while month < end_month loop
    next_month := (month + interval '1 month')::date;
    name := 'events_' || to_char(month, 'YYYY_MM');
    perform create_event_table(name);
    execute format('with moved as (delete from public.events_later where event_id < %L returning *)
      insert into public.%I select * from moved', first_event_id(next_month), name);
    execute format('alter table public.events attach partition public.%I for values from (%L) to (%L)',
      name, first_event_id(month), first_event_id(next_month));
    made := made + 1;
    month := next_month;
  end loop;
  execute format('alter table public.events attach partition public.events_later for values from (%L) to (maxvalue)',
    first_event_id(month));
  return made;
end $$;

/*
 * For the application, which may not create tables: makes the current month and the next three, by the clock of the
 * database. Returns the number of new months.
 */
create function make_event_months() returns integer language sql
  security definer set search_path = pg_catalog, public, pg_temp set lock_timeout = '400ms' as $$
  select public.split_later_events((date_trunc('month', now() at time zone 'UTC') + interval '4 months')::date, 10000)
$$;

revoke all on function create_event_table(text), split_later_events(date, bigint), make_event_months() from public;
grant execute on function make_event_months() to waybill_app;

/* Attaches the table as it is, with all ids below the bound, to a partitioned one of the same name. */
create function partition_events(bound uuid) returns void language plpgsql as $$
declare
  before text := 'events_before_' || to_char(month_of_event(bound), 'YYYY_MM');
  index text;
begin
  execute format('alter table events rename to %I', before);
  for index in select relname from pg_index join pg_class on oid = indexrelid where indrelid = before::regclass loop
    execute format('alter index %I rename to %I', index, before || substr(index, length('events') + 1));
  end loop;
  execute format('create table events (like %I including defaults) partition by range (event_id)', before);
  alter table events add primary key (org_id, event_id);
  create index events_of_flow on events (org_id, flow_id, event_id) where flow_id is not null;
  create index events_of_trail on events (org_id, trail_id, event_id) where trail_id is not null;
  create index events_of_environment on events (org_id, environment_id, event_id) where environment_id is not null;
  create index events_of_policy on events (org_id, policy_id, event_id) where policy_id is not null;
  create index events_of_control on events (org_id, control_id, event_id) where control_id is not null;
  create index events_of_failed_sign_ins on events (org_id, happened_at) where kind = 'sign_in_failed';
  alter table events enable row level security;
  alter table events force row level security;
  execute format('create policy administration on events to %I using (true)', current_user);
  create policy own_org on events to waybill_app using (org_id = app_org());
  create policy signing_in_records on events for insert to waybill_app with check (app_signin());
  grant select, insert on events to waybill_app;
  -- Nobody but the owner uses a partition directly.
  execute format('drop policy own_org on %I', before);
  execute format('drop policy signing_in_records on %I', before);
  execute format('revoke all on %I from waybill_app', before);
  execute format('alter table events attach partition %I for values from (minvalue) to (%L)', before, bound);
  execute format('alter table %I drop constraint if exists events_are_before_months', before);
  perform create_event_table('events_later');
  execute format('alter table events attach partition events_later for values from (%L) to (maxvalue)', bound);
  perform make_event_months();
end $$;

do $$
declare
  small constant bigint := 16 * 1024 * 1024;
  largest constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  this_month date := date_trunc('month', now() at time zone 'UTC');
  newest uuid;
  begins date;
  bound uuid;
begin
  lock table events in access exclusive mode;
  -- The newest event of each org, by the primary key: no scan, however large the table is.
  with recursive newest_of as (
    (select org_id, event_id from events order by org_id desc, event_id desc limit 1)
    union all
    select e.org_id, e.event_id from newest_of n cross join lateral (
      select x.org_id, x.event_id from events x where x.org_id < n.org_id
      order by x.org_id desc, x.event_id desc limit 1) e
  )
  select event_id from newest_of order by event_id desc limit 1 into newest;
  begins := coalesce((month_of_event(newest) + interval '1 month')::date, this_month);
  if pg_relation_size('events') > small then
    -- Events go on being recorded until the last step.
    begins := greatest(begins, (this_month + interval '2 months')::date);
  end if;
  begins := greatest(begins, this_month);
  bound := case when begins > date '10889-01-01' then largest else first_event_id(begins) end;
  if pg_relation_size('events') <= small then
    perform partition_events(bound);
  else
    execute format('alter table events add constraint events_are_before_months check (event_id < %L) not valid', bound);
  end if;
end $$;

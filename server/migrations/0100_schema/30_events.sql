-- Events: the record of every change, in a table per month so that old months can be detached
-- (docs/adr/0025-events-by-month.md). The application adds events and erases their content; it can change nothing
-- else.

create table events (
  org_id         uuid not null,
  -- A UUIDv7, whose time determines the month.
  event_id       uuid not null,
  kind           text not null,
  happened_at    timestamptz not null,
  actor          text not null,
  request_id     text not null,
  flow_id        uuid,
  trail_id       uuid,
  environment_id uuid,
  policy_id      uuid,
  control_id     uuid,
  data           jsonb not null,
  -- Further parts of the event's body in the log: facts about the actor, hashes of content stored elsewhere, and
  -- the salt of the body's hash. Events from before the log have none until they are imported.
  caller         jsonb,
  parts          jsonb,
  salt           bytea,
  primary key (org_id, event_id)
) partition by range (event_id);
-- The newest events of each flow, trail or environment, for lists.
create index events_of_flow on events (org_id, flow_id, event_id) where flow_id is not null;
create index events_of_trail on events (org_id, trail_id, event_id) where trail_id is not null;
create index events_of_environment on events (org_id, environment_id, event_id) where environment_id is not null;
create index events_of_policy on events (org_id, policy_id, event_id) where policy_id is not null;
create index events_of_control on events (org_id, control_id, event_id) where control_id is not null;
-- The failed sign-ins of an hour are counted before another one is recorded.
create index events_of_failed_sign_ins on events (org_id, happened_at) where kind = 'sign_in_failed';

create policy own_org on events to waybill_app using (org_id = app_org());
-- A sign-in is recorded before any organization is known.
create policy signing_in_records on events for insert to waybill_app with check (app_signin());
-- The content of an event can be erased, but never rewritten (docs/adr/0034-erasure-and-history.md): these columns
-- can be updated only to the values of an erased event. The policy is restrictive: it applies in addition to the
-- one that tells which organization a row belongs to. The event of the erasure comes first and names the erased
-- event. Its id is computed in a subquery, because PostgreSQL 15.20 and its siblings would otherwise read all
-- events of the organization (docs/adr/0028-statements-declare-bounds.md).
create policy only_erase on events as restrictive for update to waybill_app
  using (salt is not null)
  with check (
    actor = 'erased' and request_id = 'erased' and caller is null and parts is null and salt is null
    and data = jsonb_build_object('erased_by', data -> 'erased_by')
    and exists (
      select from events e
      where e.org_id = events.org_id and e.event_id = (select ((events.data ->> 'erased_by') || '0000')::uuid)
        and e.kind = 'body_erased' and e.data ->> 'event' = left(events.event_id::text, 32))
  );
grant select, insert, update (actor, request_id, data, caller, parts, salt) on events to waybill_app;

-- Months -----------------------------------------------------------------------------------------------------------

/* The smallest event id of a month. */
create function first_event_id(month date) returns uuid language sql immutable parallel safe as $$
  select rpad(lpad(to_hex((extract(epoch from month::timestamp) * 1000)::bigint), 12, '0'), 32, '0')::uuid
$$;

/* The first day of the month of an event id, in UTC. */
create function month_of_event(event_id uuid) returns date language sql immutable parallel safe as $$
  select date_trunc('month', timestamp '1970-01-01' +
    ('x0000' || left(replace(event_id::text, '-', ''), 12))::bit(64)::bigint * interval '1 millisecond')::date
$$;

/* One bound of a partition of events: null if it is open, or if there is no such partition. */
create function event_bound(partition text, side text) returns uuid language sql stable as $$
  select substring(pg_get_expr(relpartbound, oid) from upper(side) || ' \(''([0-9a-f-]{36})''\)')::uuid
  from pg_class where oid = to_regclass('public.' || quote_ident(partition))
$$;

/* The start of the kept events; null if none were ever detached. */
create function events_kept_from() returns uuid language sql stable as $$
  select event_bound('events_earlier', 'to')
$$;

/* Creates a table for some of the events, which nobody but the owner can use directly. Not attached yet. */
create function create_event_table(name text) returns void language plpgsql as $$
begin
  execute format('create table public.%I (like public.events including all)', name);
  execute format('alter table public.%I enable row level security', name);
  execute format('alter table public.%I force row level security', name);
  execute format('create policy administration on public.%I to %I using (true)', name, current_user);
end $$;

/*
 * Creates the months up to, but not including, the given one, at most 24. Returns their number. Moves their events
 * out of events_later, or fails if there are more than max_moved.
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
 * For the application, which may not create tables: creates the current month and the next three, by the
 * database's clock. Returns the number of new months.
 */
create function make_event_months() returns integer language sql
  security definer set search_path = pg_catalog, public, pg_temp set lock_timeout = '400ms' as $$
  select public.split_later_events((date_trunc('month', now() at time zone 'UTC') + interval '4 months')::date, 10000)
$$;

revoke all on function create_event_table(text), split_later_events(date, bigint), make_event_months() from public;
grant execute on function make_event_months() to waybill_app;

-- Every id has a partition: one table takes events that a clock far behind dates before this month, and one takes
-- everything after the existing months.
do $$
declare
  this_month date := date_trunc('month', now() at time zone 'UTC');
  before text := 'events_before_' || to_char(this_month, 'YYYY_MM');
begin
  perform create_event_table(before);
  execute format('alter table events attach partition %I for values from (minvalue) to (%L)',
    before, first_event_id(this_month));
  perform create_event_table('events_later');
  execute format('alter table events attach partition events_later for values from (%L) to (maxvalue)',
    first_event_id(this_month));
  perform make_event_months();
end $$;

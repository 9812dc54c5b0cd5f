-- min-compatible: 0022
-- Events from before the log become leaves of it (docs/adr/0034-erasure-and-history.md).

-- One row for each organization that was there before, with how far its events have been imported. The transaction that
-- imports some of them moves it, and holds its lock.
create table history_imports (
  org_id        uuid primary key references orgs (org_id),
  -- All events up to this one have been looked at.
  last_event_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- What was imported since it began: how many, the first and the last one, and how many of each kind.
  imported      bigint not null default 0,
  first_id      uuid,
  last_id       uuid,
  kinds         jsonb not null default '{}',
  completed_at  timestamptz
);
insert into history_imports (org_id) select org_id from orgs;

alter table history_imports enable row level security;
alter table history_imports force row level security;
create policy own_org on history_imports to waybill_app using (org_id = app_org());
create policy worker_looks on history_imports for select to waybill_app using (app_worker());
grant select, update (last_event_id, imported, first_id, last_id, kinds, completed_at) on history_imports to waybill_app;

/*
 * For the application, which may only erase events: gives events from before the log the salt and the hashes that their
 * leaves need, once. Returns their number.
 */
create function import_events(org uuid, old_events jsonb) returns bigint language sql
  security definer set search_path = pg_catalog, public, pg_temp as $$
  with imported as (
    update public.events e set salt = decode(i.salt, 'hex'), parts = i.parts
    from jsonb_to_recordset(old_events) as i(event_id uuid, salt text, parts jsonb)
    where org = public.app_org() and e.org_id = org and e.event_id = i.event_id
      and e.salt is null and e.parts is null and not e.data ? 'erased_by'
    returning 1
  )
  select count(*) from imported
$$;
revoke all on function import_events(uuid, jsonb) from public;
grant execute on function import_events(uuid, jsonb) to waybill_app;

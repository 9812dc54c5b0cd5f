-- The installation: its processes, its clock and its secret key, and the statistics of its tables. These tables belong to no
-- organization, and backups leave them out.

-- One row per process that works the outbox and evaluates environments, updated every few seconds with the
-- database's time. It tells the processes that serve requests whether any worker is alive.
create table workers (
  worker_id  uuid primary key,
  started_at timestamptz not null,
  seen_at    timestamptz not null
);
create policy worker on workers to waybill_app using (app_worker());
grant select, insert, delete, update (seen_at) on workers to waybill_app;

-- One row that /ready updates: a database that responds but cannot be written is not ready. It contains nothing
-- about any organization, so every session of the application may change it.
create table health (
  only_row   boolean primary key default true check (only_row),
  checked_at timestamptz
);
insert into health default values;
create policy everyone on health to waybill_app using (only_row);
grant select, update (checked_at) on health to waybill_app;

-- The time that Waybill has reached, written every few seconds by each process (db/database-clock.ts): if the
-- database's clock is set back, time continues from here.
create table clock_mark (
  only_row    boolean primary key default true check (only_row),
  -- The database's clock when this was written, and Waybill's time then.
  database_at timestamptz not null,
  time_at     timestamptz not null,
  -- How often an operator has accepted a database clock that was behind.
  resets      int not null default 0
);
insert into clock_mark (database_at, time_at) values (clock_timestamp(), clock_timestamp());
create policy everyone on clock_mark to waybill_app using (only_row);
grant select, update (database_at, time_at) on clock_mark to waybill_app;

-- A value sealed with the secret key at the first start: a service with another key could read none of the stored
-- secrets, so it does not start. Without a row, any sealed value decides; with null, the next start seals one. Only
-- the owner writes it. After a restore, the restored secrets decide.
create table secret_check (
  only_row boolean primary key default true check (only_row),
  sealed   text
);
create policy everyone on secret_check for select to waybill_app using (only_row);
grant select on secret_check to waybill_app;

/*
 * For the application, which may not analyze tables: analyzes the table that has grown most since its last
 * analysis, by half or more. Returns its name, or null if none has grown so much or another process is analyzing
 * it. Tables of a few pages are read in full whatever their statistics
 * (docs/adr/0028-statements-declare-bounds.md). A table with pages but without visible rows is analyzed again
 * every minute: its rows may have been committed just after its analysis, and it may not grow any more.
 */
create function analyze_grown_table() returns text language plpgsql
  security definer set search_path = pg_catalog, public, pg_temp set lock_timeout = '400ms' as $$
declare
  few_pages constant int := 8;
  grown text;
begin
  if not pg_try_advisory_xact_lock(hashtext('waybill: analyze_grown_table')) then return null; end if;
  select c.relname into grown
  from pg_class c
  cross join lateral (select pg_relation_size(c.oid) / current_setting('block_size')::int as pages) now
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
    and (now.pages > greatest(c.relpages, 0) * 1.5 + few_pages
      or c.reltuples = 0 and now.pages > few_pages and extract(second from clock_timestamp()) < 6)
    -- Autovacuum or an operator is at it, or an index is being built.
    and not exists (
      select from pg_locks l
      where l.relation = c.oid and l.granted and l.mode not in ('AccessShareLock', 'RowShareLock', 'RowExclusiveLock'))
  order by now.pages - c.relpages desc
  limit 1;
  if grown is not null then execute format('analyze (skip_locked) public.%I', grown); end if;
  return grown;
end $$;
revoke all on function analyze_grown_table() from public;
grant execute on function analyze_grown_table() to waybill_app;

-- min-compatible: 0022
-- Rows that were not committed yet when their table was analyzed (docs/adr/0028-statements-declare-bounds.md).

/*
 * For the application, which may not analyze tables: analyzes the table that has grown most since it was analyzed, by
 * half or more. Returns its name, or null if none has grown so much or another process is doing it. Tables of a few
 * pages are read whole whatever their statistics say.
 *
 * A table without visible rows, but with pages, is analyzed again every minute: its rows may have been committed just after
 * it was analyzed, and it need not grow any more.
 */
create or replace function analyze_grown_table() returns text language plpgsql
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

-- min-compatible: 0022
-- Events by month, last step: attaches a large table, which the validated check lets PostgreSQL do without reading it.
do $$ declare bound uuid; begin
  select substring(pg_get_constraintdef(oid) from '[0-9a-f-]{36}')::uuid into bound
  from pg_constraint where conrelid = 'events'::regclass and conname = 'events_are_before_months';
  if bound is not null then perform partition_events(bound); end if;
  drop function partition_events(uuid);
end $$;

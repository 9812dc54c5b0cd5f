-- min-compatible: 0022
-- Events by month, second step: reads a large table once, while requests go on.
do $$ begin
  if exists (select from pg_constraint
    where conrelid = 'events'::regclass and conname = 'events_are_before_months')
  then
    alter table events validate constraint events_are_before_months;
  end if;
end $$;

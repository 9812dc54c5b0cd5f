-- min-compatible: 0022
-- One row that /ready updates: a database that answers and cannot be written is not ready. It belongs to no organization
-- and says nothing about one, so every session of the application may change it. Backups leave it out.
create table health (
  only_row   boolean primary key default true check (only_row),
  checked_at timestamptz
);
insert into health default values;

alter table health enable row level security;
alter table health force row level security;
create policy everyone on health to waybill_app using (only_row);
grant select, update (checked_at) on health to waybill_app;

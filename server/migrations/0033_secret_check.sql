-- min-compatible: 0022
-- A value that was sealed with the secret key at the first start: a service with another key could read none of the
-- stored secrets, so it does not start. Without a row, any sealed value decides; with null, the next start seals one.
-- Only the owner writes it. Backups leave it out: the restored secrets decide.
create table secret_check (
  only_row boolean primary key default true check (only_row),
  sealed   text
);
alter table secret_check enable row level security;
alter table secret_check force row level security;
create policy everyone on secret_check for select to waybill_app using (only_row);
grant select on secret_check to waybill_app;

-- min-compatible: 0022
-- One row per process that works the outbox and evaluates environments, updated every few seconds with the time of the
-- database. The processes that serve requests see from it whether any worker is alive. It belongs to no organization;
-- backups leave it out.
create table workers (
  worker_id  uuid primary key,
  started_at timestamptz not null,
  seen_at    timestamptz not null
);

alter table workers enable row level security;
alter table workers force row level security;
create policy worker on workers to waybill_app using (app_worker());
grant select, insert, delete, update (seen_at) on workers to waybill_app;

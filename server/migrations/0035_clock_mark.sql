-- min-compatible: 0022
-- The time that Waybill has reached, written every few seconds by each process (db/database-clock.ts): after the clock of
-- the database was set back, time goes on from here. It belongs to no organization; backups leave it out.
create table clock_mark (
  only_row    boolean primary key default true check (only_row),
  -- The clock of the database when this was written, and the time of Waybill then.
  database_at timestamptz not null,
  time_at     timestamptz not null,
  -- How often an operator has accepted the clock of the database, although it was behind.
  resets      int not null default 0
);
insert into clock_mark (database_at, time_at) values (clock_timestamp(), clock_timestamp());

alter table clock_mark enable row level security;
alter table clock_mark force row level security;
create policy everyone on clock_mark to waybill_app using (only_row);
grant select, update (database_at, time_at) on clock_mark to waybill_app;

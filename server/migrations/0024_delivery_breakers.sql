-- The breaker of a target: consecutive failures to reach its receiver, and until when its messages wait. A target whose
-- receiver responded last has no row.
create table delivery_breakers (
  org_id       uuid not null,
  target_id    uuid not null,
  -- Attempts in a row that did not reach the receiver.
  failures     integer not null,
  -- Pauses in a row; each is longer than the one before.
  pauses       integer not null,
  -- Null while messages are still sent. Then one message goes first, as a probe.
  paused_until timestamptz,
  -- The latest probe: only its failure makes the pause longer.
  probe_job_id uuid,
  last_error   text not null,
  primary key (org_id, target_id),
  foreign key (org_id, target_id) references notification_targets (org_id, target_id) on delete cascade
);
alter table delivery_breakers enable row level security;
alter table delivery_breakers force row level security;
create policy own_org_or_worker on delivery_breakers to waybill_app using (org_id = app_org() or app_worker());
grant select, insert, update, delete on delivery_breakers to waybill_app;

-- A claim steps from target to target; jobs without one are in a queue of their own. A column, because under row-level
-- security PostgreSQL does not look up an expression such as coalesce in an index.
alter table outbox add queue_id uuid not null
  generated always as (coalesce(target_id, '00000000-0000-0000-0000-000000000000')) stored;
create index outbox_due_of_queue on outbox (org_id, queue_id, due_at) where finished_at is null;
-- It takes the place of these. With them, PostgreSQL may read all due jobs to find those of one target.
drop index outbox_due_of_org;
drop index outbox_due;

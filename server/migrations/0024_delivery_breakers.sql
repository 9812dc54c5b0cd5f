-- min-compatible: 0022
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
-- security PostgreSQL does not look up an expression such as coalesce in an index. A trigger fills it, also for a program
-- of the previous version; a stored expression would rewrite the table.
alter table outbox add queue_id uuid not null default '00000000-0000-0000-0000-000000000000';
create function set_queue_of_job() returns trigger language plpgsql as $$
begin
  new.queue_id := coalesce(new.target_id, '00000000-0000-0000-0000-000000000000');
  return new;
end $$;
create trigger set_queue_of_job before insert or update of target_id on outbox
  for each row execute function set_queue_of_job();
update outbox set queue_id = target_id where finished_at is null and target_id is not null;

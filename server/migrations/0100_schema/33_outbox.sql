-- The outbox: jobs that run after the transaction that added them has committed. Most of them are deliveries, which have an
-- event type; those keep a log of their attempts.

create table outbox (
  org_id            uuid not null,
  job_id            uuid not null,
  kind              text not null,
  payload           jsonb not null,
  created_at        timestamptz not null,
  due_at            timestamptz not null,
  attempts          integer not null default 0,
  -- Only the holder of the current lease can finish the job.
  lease_no          integer not null default 0,
  lease_until       timestamptz,
  finished_at       timestamptz,
  last_error        text,
  event_type        text,
  notification_id   uuid,
  notification_type text,
  -- Null if the recipient follows from the message's subject.
  target_id         uuid,
  -- The target, or all zeros. A claim goes from target to target; jobs without one have their own queue. A trigger
  -- fills the column, even for writers that do not know it.
  queue_id          uuid not null default '00000000-0000-0000-0000-000000000000',
  primary key (org_id, job_id)
);
-- Finds the next job of a target, however many jobs of other targets wait. With an index by time alone, PostgreSQL
-- would read all due jobs to find those of one target.
create index outbox_due_of_queue on outbox (org_id, queue_id, due_at) where finished_at is null;
create index outbox_deliveries on outbox (org_id, job_id) where event_type is not null;
create index outbox_finished on outbox (finished_at) where finished_at is not null;

create function set_queue_of_job() returns trigger language plpgsql as $$
begin
  new.queue_id := coalesce(new.target_id, '00000000-0000-0000-0000-000000000000');
  return new;
end $$;
create trigger set_queue_of_job before insert or update of target_id on outbox
  for each row execute function set_queue_of_job();

create policy own_org_or_worker on outbox to waybill_app using (org_id = app_org() or app_worker());
grant select, insert, update, delete on outbox to waybill_app;

create table delivery_attempts (
  org_id       uuid not null,
  job_id       uuid not null,
  -- The lease under which it was made, which cannot have a second result.
  lease_no     integer not null,
  attempted_at timestamptz not null,
  duration_ms  integer not null,
  -- Null if it succeeded.
  error        text,
  status       integer,
  -- The first bytes of the response.
  answer       text,
  primary key (org_id, job_id, lease_no),
  foreign key (org_id, job_id) references outbox (org_id, job_id) on delete cascade
);
create policy own_org_or_worker on delivery_attempts to waybill_app using (org_id = app_org() or app_worker());
grant select, insert on delivery_attempts to waybill_app;

-- The breaker of a target: consecutive failures to reach its receiver, and until when its messages wait. A target
-- whose receiver responded last has no row.
create table delivery_breakers (
  org_id       uuid not null,
  target_id    uuid not null,
  -- Consecutive attempts that did not reach the receiver.
  failures     integer not null,
  -- Consecutive pauses; each is longer than the one before.
  pauses       integer not null,
  -- Null while messages are still sent. After the pause one message goes first, as a probe.
  paused_until timestamptz,
  -- The newest probe: only its failure makes the pause longer.
  probe_job_id uuid,
  last_error   text not null,
  primary key (org_id, target_id),
  foreign key (org_id, target_id) references notification_targets (org_id, target_id) on delete cascade
);
create policy own_org_or_worker on delivery_breakers to waybill_app using (org_id = app_org() or app_worker());
grant select, insert, update, delete on delivery_breakers to waybill_app;

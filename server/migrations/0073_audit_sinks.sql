-- min-compatible: 0022
-- How far the events of each organization have been sent to the operator's sinks (docs/adr/0058-audit-sinks.md).
create table audit_sink_cursors (
  org_id        uuid not null,
  sink          text not null,
  -- The first leaf that has not been accepted.
  epoch         int not null default 0,
  next_seq      bigint not null default 0,
  -- The last leaf of the batch that is being sent, so that a repeated batch is the same one.
  until_epoch   int,
  until_seq     bigint,
  -- A worker claims a row by setting it. After a failure, it is the time of the next attempt.
  not_before    timestamptz not null,
  -- Since the last batch that was accepted.
  failures      int not null default 0,
  failing_since timestamptz,
  message       text,
  primary key (org_id, sink)
);

alter table audit_sink_cursors enable row level security;
alter table audit_sink_cursors force row level security;
create policy own_org on audit_sink_cursors to waybill_app using (org_id = app_org());
-- The worker looks for logs that have grown, and claims their cursors.
create policy worker_claims on audit_sink_cursors to waybill_app using (app_worker());
grant select, insert, update (epoch, next_seq, until_epoch, until_seq, not_before, failures, failing_since, message)
  on audit_sink_cursors to waybill_app;

-- Requests with an idempotency key: a retry gets the same response and stores nothing.

create table idempotency_keys (
  org_id         uuid not null,
  caller_id      uuid not null,
  key            text not null,
  request_sha256 text not null,
  created_at     timestamptz not null,
  -- The response, if it cannot be derived from the state; most successful requests always have the same one.
  answer         jsonb,
  -- The first event of the request, and its number of events in the log: the response to a retry names the same
  -- leaves.
  event_id       uuid,
  event_count    int,
  primary key (org_id, caller_id, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
create policy own_org on idempotency_keys to waybill_app using (org_id = app_org());
grant select, insert, update (answer, event_id, event_count) on idempotency_keys to waybill_app;

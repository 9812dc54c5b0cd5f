-- min-compatible: 0022
-- The first event of the request that an idempotency key was used for, and how many events it has in the log: a retry is
-- told the same leaves.
alter table idempotency_keys add event_id uuid, add event_count int;
grant update (event_id, event_count) on idempotency_keys to waybill_app;

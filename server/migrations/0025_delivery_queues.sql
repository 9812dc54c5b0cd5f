-- concurrently
-- min-compatible: 0022
-- Finds the next job of a target, however many jobs of other targets wait.
create index concurrently outbox_due_of_queue on outbox (org_id, queue_id, due_at) where finished_at is null;

-- min-compatible: 0022
-- outbox_due_of_queue takes the place of these. With them, PostgreSQL may read all due jobs to find those of one target.
drop index outbox_due_of_org;
drop index outbox_due;

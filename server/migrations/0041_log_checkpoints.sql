-- min-compatible: 0022
-- The signed tree of each log (docs/adr/0032-signed-checkpoints.md): its keys, the hashes above the leaves, and its
-- checkpoints.

-- The keys that sign the checkpoints of a log. All that are not retired sign.
create table log_keys (
  org_id         uuid not null references orgs,
  epoch          int not null,
  -- The first key of a log is 1. Two processes that add a key at the same time choose the same number, and one fails.
  number         int not null,
  vkey           text not null,
  private_sealed text not null,
  added_at       timestamptz not null,
  retired_at     timestamptz,
  primary key (org_id, epoch, number)
);

-- Every 256th hash above the leaves: level 1 has the roots of 256 leaves each, level 2 those of 256 roots of level 1. They
-- follow from the leaves, and make proofs of old leaves as cheap as those of new ones.
create table log_nodes (
  org_id uuid not null,
  epoch  int not null,
  level  int not null check (level >= 1),
  number bigint not null,
  hash   bytea not null check (octet_length(hash) = 32),
  primary key (org_id, epoch, level, number)
);

-- The last checkpoint of each minute in which the log grew, stored when it was also outside of the database.
create table log_checkpoints (
  org_id uuid not null,
  epoch  int not null,
  -- Since 1970.
  minute int not null,
  size   bigint not null,
  root   bytea not null check (octet_length(root) = 32),
  note   text not null,
  primary key (org_id, epoch, minute)
);

alter table log_keys enable row level security;
alter table log_keys force row level security;
alter table log_nodes enable row level security;
alter table log_nodes force row level security;
alter table log_checkpoints enable row level security;
alter table log_checkpoints force row level security;
create policy own_org on log_keys to waybill_app using (org_id = app_org());
create policy own_org on log_nodes to waybill_app using (org_id = app_org());
create policy own_org on log_checkpoints to waybill_app using (org_id = app_org());
-- The worker looks for logs that have grown.
create policy worker_looks on log_heads for select to waybill_app using (app_worker());
create policy worker_looks on log_checkpoints for select to waybill_app using (app_worker());
grant select, insert, update (retired_at) on log_keys to waybill_app;
grant select, insert on log_nodes to waybill_app;
grant select, insert, update (size, root, note) on log_checkpoints to waybill_app;

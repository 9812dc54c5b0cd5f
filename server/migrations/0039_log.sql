-- min-compatible: 0022
-- The log of each organization (docs/adr/0029-a-log-nobody-can-rewrite.md): its events as the leaves of a Merkle tree.

-- What the bodies of leaves need beyond what events had: who the actor was, hashes of content that is stored elsewhere, and
-- the salt of the body's hash. Events of older versions have none until they are imported into the log.
alter table events add caller jsonb, add parts jsonb, add salt bytea;

-- The host in the names of logs that are opened from now on. Only the owner writes it, at the first start.
create table log_settings (
  only_row boolean primary key default true check (only_row),
  host     text not null
);

-- One row for each open log. Its lock makes numbers gapless and their order that of the commits.
create table log_heads (
  org_id    uuid primary key references orgs,
  -- Counts the logs of an organization: a new one is opened only after a loss of data.
  epoch     int not null,
  origin    text not null,
  size      bigint not null check (size >= 0),
  logged_ms bigint not null,
  tag_key   bytea not null check (octet_length(tag_key) = 32)
);

-- The leaves, without the text that follows from their columns. They outlive the bodies of erased and detached events.
create table log_leaves (
  org_id    uuid not null,
  epoch     int not null,
  seq       bigint not null,
  event_id  uuid not null,
  kind      text not null,
  logged_ms bigint not null,
  body_hash bytea not null check (octet_length(body_hash) = 32),
  -- Subject tags of 16 bytes, ascending, without a separator.
  tags      bytea not null check (octet_length(tags) % 16 = 0),
  leaf_hash bytea not null check (octet_length(leaf_hash) = 32),
  primary key (org_id, epoch, seq)
);
create unique index log_leaves_of_event on log_leaves (org_id, event_id);

alter table log_settings enable row level security;
alter table log_settings force row level security;
alter table log_heads enable row level security;
alter table log_heads force row level security;
alter table log_leaves enable row level security;
alter table log_leaves force row level security;
create policy everyone on log_settings for select to waybill_app using (only_row);
create policy own_org on log_heads to waybill_app using (org_id = app_org());
create policy own_org on log_leaves to waybill_app using (org_id = app_org());
-- Signing in records events of organizations that it does not see.
create policy signing_in on log_heads to waybill_app using (app_signin());
create policy signing_in_reads on log_leaves for select to waybill_app using (app_signin());
create policy signing_in_records on log_leaves for insert to waybill_app with check (app_signin());
grant select on log_settings to waybill_app;
grant select, insert, update (size, logged_ms) on log_heads to waybill_app;
grant select, insert on log_leaves to waybill_app;

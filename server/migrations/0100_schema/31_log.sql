-- The log of each organization (docs/adr/0029-a-log-nobody-can-rewrite.md): its events as the leaves of a Merkle tree, with
-- signed checkpoints, witnesses, the import of older events, and the sinks that the operator sends it to.

-- The host in the names of newly opened logs. Only the owner writes it, at the first start.
create table log_settings (
  only_row boolean primary key default true check (only_row),
  host     text not null
);
create policy everyone on log_settings for select to waybill_app using (only_row);
grant select on log_settings to waybill_app;

-- One row for each open log. Locking it makes the leaf numbers gapless and gives them the order of the commits.
create table log_heads (
  org_id    uuid primary key references orgs,
  -- Counts the logs of an organization: a new one is opened only after a loss of data.
  epoch     int not null,
  origin    text not null,
  size      bigint not null check (size >= 0),
  logged_ms bigint not null,
  tag_key   bytea not null check (octet_length(tag_key) = 32)
);
create policy own_org on log_heads to waybill_app using (org_id = app_org());
-- Signing in records events of organizations that it cannot see.
create policy signing_in on log_heads to waybill_app using (app_signin());
-- The worker finds logs that have grown.
create policy worker_looks on log_heads for select to waybill_app using (app_worker());
grant select, insert, update (size, logged_ms) on log_heads to waybill_app;

-- The leaves, without the text that follows from their columns. They outlive the bodies of erased and detached
-- events.
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
create policy own_org on log_leaves to waybill_app using (org_id = app_org());
create policy signing_in_reads on log_leaves for select to waybill_app using (app_signin());
create policy signing_in_records on log_leaves for insert to waybill_app with check (app_signin());
-- The worker measures how long the first leaf without a published checkpoint has waited.
create policy worker_looks on log_leaves for select to waybill_app using (app_worker());
grant select, insert on log_leaves to waybill_app;

-- Checkpoints (docs/adr/0032-signed-checkpoints.md) -------------------------------------------------------------------

-- The keys that sign a log's checkpoints. All that are not retired sign.
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
create policy own_org on log_keys to waybill_app using (org_id = app_org());
grant select, insert, update (retired_at) on log_keys to waybill_app;

-- Every 256th hash above the leaves: level 1 has the roots of 256 leaves each, level 2 the roots of 256 roots of
-- level 1. They follow from the leaves, and make proofs of old leaves as cheap as proofs of new ones.
create table log_nodes (
  org_id uuid not null,
  epoch  int not null,
  level  int not null check (level >= 1),
  number bigint not null,
  hash   bytea not null check (octet_length(hash) = 32),
  primary key (org_id, epoch, level, number)
);
create policy own_org on log_nodes to waybill_app using (org_id = app_org());
grant select, insert on log_nodes to waybill_app;

-- The last checkpoint of each minute in which the log grew, stored once it is also outside of the database.
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
create policy own_org on log_checkpoints to waybill_app using (org_id = app_org());
create policy worker_looks on log_checkpoints for select to waybill_app using (app_worker());
grant select, insert, update (size, root, note) on log_checkpoints to waybill_app;

-- Witnesses: who else has seen the checkpoints (docs/adr/0033-witnesses.md) ----------------------------------------------

-- The latest response about a log from each witness of the operator's policy.
create table log_witnesses (
  org_id      uuid not null,
  epoch       int not null,
  vkey        text not null,
  -- The size of the largest checkpoint that it has cosigned.
  size        bigint not null default 0,
  cosigned_at timestamptz,
  state       text not null default 'behind' check (state in ('ok', 'behind', 'unreachable', 'fork')),
  message     text not null default 'The witness is being asked for the first time',
  -- A worker claims a row by setting it, so that no other worker asks at the same time.
  asked_at    timestamptz not null,
  primary key (org_id, epoch, vkey)
);
create index log_witnesses_fork on log_witnesses (org_id, vkey) where state = 'fork';
create policy own_org on log_witnesses to waybill_app using (org_id = app_org());
-- The worker finds logs that have grown, and claims their witnesses.
create policy worker_claims on log_witnesses to waybill_app using (app_worker());
grant select, insert, update (size, cosigned_at, state, message, asked_at) on log_witnesses to waybill_app;

-- All checkpoints with cosignatures: the note has the signatures of the log, then those of the witnesses.
create table log_cosigned (
  org_id     uuid not null,
  epoch      int not null,
  size       bigint not null,
  root       bytea not null check (octet_length(root) = 32),
  note       text not null,
  -- Whether its cosignatures met the quorum of the policy at that time.
  has_quorum boolean not null,
  primary key (org_id, epoch, size)
);
create index log_cosigned_quorum on log_cosigned (org_id, epoch, size) where has_quorum;
create policy own_org on log_cosigned to waybill_app using (org_id = app_org());
grant select, insert, update (note, has_quorum) on log_cosigned to waybill_app;

-- Events from before the log (docs/adr/0034-erasure-and-history.md) -------------------------------------------------------

-- One row for each organization with such events, with the progress of their import into the log. The transaction
-- that imports some of them advances the row and holds its lock.
create table history_imports (
  org_id        uuid primary key references orgs (org_id),
  -- All events up to this one have been examined.
  last_event_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- The events imported so far: their number, the first and the last one, and the number of each kind.
  imported      bigint not null default 0,
  first_id      uuid,
  last_id       uuid,
  kinds         jsonb not null default '{}',
  completed_at  timestamptz
);
create policy own_org on history_imports to waybill_app using (org_id = app_org());
create policy worker_looks on history_imports for select to waybill_app using (app_worker());
grant select, update (last_event_id, imported, first_id, last_id, kinds, completed_at) on history_imports to waybill_app;

/*
 * For the application, which may only erase events: gives events from before the log the salt and the hashes that
 * their leaves need, once. Returns their number.
 */
create function import_events(org uuid, old_events jsonb) returns bigint language sql
  security definer set search_path = pg_catalog, public, pg_temp as $$
  with imported as (
    update public.events e set salt = decode(i.salt, 'hex'), parts = i.parts
    from jsonb_to_recordset(old_events) as i(event_id uuid, salt text, parts jsonb)
    where org = public.app_org() and e.org_id = org and e.event_id = i.event_id
      and e.salt is null and e.parts is null and not e.data ? 'erased_by'
    returning 1
  )
  select count(*) from imported
$$;
revoke all on function import_events(uuid, jsonb) from public;
grant execute on function import_events(uuid, jsonb) to waybill_app;

-- Sinks ------------------------------------------------------------------------------------------------------------

-- How far each organization's events have been sent to the operator's sinks (docs/adr/0058-audit-sinks.md).
create table audit_sink_cursors (
  org_id        uuid not null,
  sink          text not null,
  -- The first leaf that has not been accepted.
  epoch         int not null default 0,
  next_seq      bigint not null default 0,
  -- The last leaf of the batch in progress, so that a repeated batch is the same one.
  until_epoch   int,
  until_seq     bigint,
  -- A worker claims a row by setting it. After a failure, it is the time of the next attempt.
  not_before    timestamptz not null,
  -- Failures since the last accepted batch.
  failures      int not null default 0,
  failing_since timestamptz,
  message       text,
  primary key (org_id, sink)
);
create policy own_org on audit_sink_cursors to waybill_app using (org_id = app_org());
-- The worker finds logs that have grown, and claims their cursors.
create policy worker_claims on audit_sink_cursors to waybill_app using (app_worker());
grant select, insert, update (epoch, next_seq, until_epoch, until_seq, not_before, failures, failing_since, message)
  on audit_sink_cursors to waybill_app;

-- Service accounts, and the keys of people and service accounts. Only the hash of a key is stored.

create table service_accounts (
  org_id             uuid not null references orgs (org_id),
  service_account_id uuid not null,
  name               text not null,
  display_name       text not null,
  privilege          text not null check (privilege in ('admin', 'member', 'snapshotter', 'auditor', 'reader')),
  description        text not null default '',
  creating_user_id   uuid references users (user_id),
  created_by         text not null default 'admin',
  created_at         timestamptz not null,
  for_webhook        boolean not null default false,
  -- The person responsible for it; null for the organization itself.
  owner_user_id      uuid references users (user_id),
  -- That person's name, because an organization does not see people who have left.
  owner_name         text,
  -- Set when the owner leaves, until an admin decides.
  keys_stop_at       timestamptz,
  deleted_at         timestamptz,
  primary key (org_id, service_account_id)
);
-- The name of a deleted account is free again; its keys and events stay.
create unique index service_accounts_live on service_accounts (org_id, name) where deleted_at is null;
create index service_accounts_of_owner on service_accounts (org_id, owner_user_id) where owner_user_id is not null;
create index service_accounts_stopping on service_accounts (keys_stop_at) where keys_stop_at is not null;

create trigger notify_caller_change
  after delete or update of name, privilege, deleted_at, keys_stop_at on service_accounts
  for each row execute function notify_caller_change('service_account_id');

create policy own_org on service_accounts for select to waybill_app using (
  org_id = app_org()
  or service_account_id in (
    select k.service_account_id from service_account_keys k where k.secret_hash = app_key()
  )
);
create policy own_org_changes on service_accounts to waybill_app using (org_id = app_org());
-- The worker finds the accounts whose keys stop, and records the event under their organization.
create policy worker_looks on service_accounts for select to waybill_app using (app_worker());
grant select, insert,
  update (display_name, privilege, description, owner_user_id, owner_name, keys_stop_at, deleted_at)
  on service_accounts to waybill_app;

create table service_account_keys (
  org_id             uuid not null,
  service_account_id uuid not null,
  key_id             uuid not null,
  secret_hash        bytea not null,
  hint               text not null,
  description        text not null,
  -- Families of operations that it may be used for; null for all.
  operations         text[],
  -- Limits it to these; null for all.
  flow_ids           uuid[],
  environment_ids    uuid[],
  -- Addresses and CIDR ranges that it may be used from; null for any.
  allowed_addresses  text[],
  created_by         text not null default 'admin',
  created_at         timestamptz not null,
  expires_at         timestamptz,
  -- The newest expiry notice that was sent.
  expiry_notice      text check (expiry_notice in ('first', 'last')),
  revoked_at         timestamptz,
  revoked_by         text,
  -- The key that replaced it.
  replaced_by        uuid,
  last_used_at       timestamptz,
  last_used_from     text,
  primary key (org_id, key_id),
  unique (org_id, secret_hash),
  foreign key (org_id, service_account_id) references service_accounts (org_id, service_account_id)
);
create index service_account_keys_by_secret on service_account_keys (secret_hash);
create index keys_of_service_account on service_account_keys (org_id, service_account_id);
create index service_account_keys_ending on service_account_keys (expires_at)
  where revoked_at is null and replaced_by is null;

create trigger notify_caller_change
  after delete or update of service_account_id, secret_hash, expires_at, revoked_at, operations, flow_ids,
    environment_ids, allowed_addresses on service_account_keys
  for each row execute function notify_caller_change('service_account_id');

create policy own_org on service_account_keys to waybill_app using (
  org_id = app_org() or secret_hash = app_key()
);
-- The worker finds the keys that expire soon, and records the event under their organization.
create policy worker_looks on service_account_keys for select to waybill_app using (app_worker());
grant select, insert,
  update (expires_at, expiry_notice, revoked_at, revoked_by, replaced_by, last_used_at, last_used_from)
  on service_account_keys to waybill_app;

-- Like service_account_keys. A personal key works in every organization of its owner.
create table personal_keys (
  user_id           uuid not null references users (user_id),
  key_id            uuid not null,
  secret_hash       bytea not null unique,
  hint              text not null,
  description       text not null,
  operations        text[],
  allowed_addresses text[],
  created_at        timestamptz not null,
  expires_at        timestamptz,
  expiry_notice     text check (expiry_notice in ('first', 'last')),
  revoked_at        timestamptz,
  revoked_by        text,
  replaced_by       uuid,
  last_used_at      timestamptz,
  last_used_from    text,
  primary key (user_id, key_id)
);
create index personal_keys_ending on personal_keys (expires_at) where revoked_at is null and replaced_by is null;

create trigger notify_caller_change
  after delete or update of user_id, secret_hash, expires_at, revoked_at, operations, allowed_addresses on personal_keys
  for each row execute function notify_caller_change('user_id');

create policy presented on personal_keys to waybill_app using (secret_hash = app_key());
create policy recognised on personal_keys to waybill_app using (user_id = app_user() or app_signin());
create policy worker_looks on personal_keys for select to waybill_app using (app_worker());
grant select, insert,
  update (expires_at, expiry_notice, revoked_at, revoked_by, replaced_by, last_used_at, last_used_from)
  on personal_keys to waybill_app;

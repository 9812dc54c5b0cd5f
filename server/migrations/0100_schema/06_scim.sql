-- SCIM provisioning: the people and groups of an organization's directory, and the mail domains that it has proved.

-- The mail domains for whose people a directory may act.
create table mail_domains (
  org_id       uuid not null references orgs (org_id),
  domain       text collate "C" not null,
  -- The required value of the TXT record. Each organization has its own, so that one record proves nothing for
  -- another.
  challenge    text not null,
  created_by   text not null,
  created_at   timestamptz not null,
  checked_at   timestamptz,
  -- Why the latest check did not find the record; null if it did.
  problem      text,
  -- The latest check that found the record.
  confirmed_at timestamptz,
  proved_at    timestamptz,
  primary key (org_id, domain)
);
-- A domain belongs to one organization at a time.
create unique index mail_domains_proved on mail_domains (domain) where proved_at is not null;
create index mail_domains_due on mail_domains (checked_at) where proved_at is not null;

create policy own_org on mail_domains to waybill_app using (org_id = app_org());
-- When an organization claims a domain, another one may have proved it already.
create policy signing_in_looks on mail_domains for select to waybill_app using (app_signin());
create policy worker_looks on mail_domains for select to waybill_app using (app_worker());
grant select, insert, update (checked_at, problem, confirmed_at, proved_at), delete on mail_domains to waybill_app;

create table scim_tokens (
  org_id       uuid not null references orgs (org_id),
  token_id     uuid not null,
  secret_hash  bytea not null,
  hint         text not null,
  description  text not null,
  created_by   text not null,
  created_at   timestamptz not null,
  expires_at   timestamptz,
  revoked_at   timestamptz,
  revoked_by   text,
  last_used_at timestamptz,
  primary key (org_id, token_id),
  unique (org_id, secret_hash)
);
create index scim_tokens_by_secret on scim_tokens (secret_hash);
create policy own_org_or_presented on scim_tokens to waybill_app using (org_id = app_org() or secret_hash = app_key());
grant select, insert, update on scim_tokens to waybill_app;

create table scim_users (
  org_id           uuid not null references orgs (org_id),
  scim_id          uuid not null,
  -- Null while the person has not joined: the organization has not proved the domain and nobody accepted the
  -- invitation.
  user_id          uuid references users (user_id),
  user_name        text not null,
  user_key         text collate "C" not null generated always as (lower(user_name)) stored,
  external_id      text,
  -- The directory's data, for this organization only.
  email            text,
  email_key        text collate "C" generated always as (lower(email)) stored,
  display_name     text,
  active           boolean not null,
  -- Everything else that the directory sent, unchanged.
  resource         json not null,
  created_at       timestamptz not null,
  last_modified_at timestamptz not null,
  primary key (org_id, scim_id),
  unique (org_id, user_id)
);
create unique index scim_users_by_name on scim_users (org_id, user_key);
create unique index scim_users_by_address on scim_users (org_id, email_key) where email_key is not null;
create index scim_users_by_external_id on scim_users (org_id, external_id) where external_id is not null;
create policy own_org on scim_users to waybill_app using (org_id = app_org());
grant select, insert, update, delete on scim_users to waybill_app;

create table scim_groups (
  org_id           uuid not null references orgs (org_id),
  group_id         uuid not null,
  display_name     text not null,
  display_key      text collate "C" not null generated always as (lower(display_name)) stored,
  external_id      text,
  -- The role that the group's name grants to its members, if any.
  role             text check (role in ('admin', 'member', 'snapshotter', 'auditor', 'reader')),
  resource         json not null,
  created_at       timestamptz not null,
  last_modified_at timestamptz not null,
  primary key (org_id, group_id)
);
create unique index scim_groups_by_name on scim_groups (org_id, display_key);
create policy own_org on scim_groups to waybill_app using (org_id = app_org());
grant select, insert, update, delete on scim_groups to waybill_app;

create table scim_group_members (
  org_id   uuid not null,
  group_id uuid not null,
  scim_id  uuid not null,
  primary key (org_id, group_id, scim_id),
  foreign key (org_id, group_id) references scim_groups (org_id, group_id) on delete cascade,
  foreign key (org_id, scim_id) references scim_users (org_id, scim_id) on delete cascade
);
create index scim_groups_of_user on scim_group_members (org_id, scim_id);
create policy own_org on scim_group_members to waybill_app using (org_id = app_org());
grant select, insert, delete on scim_group_members to waybill_app;

-- People and their credentials: sessions, sign-in, invitations, the history of memberships, SCIM, keyless CI, settings of
-- organizations.

-- Who has been recognised: their own rows are visible by it, in every org.
create function app_user() returns uuid language sql stable parallel safe
  as $$ select nullif(current_setting('app.person', true), '')::uuid $$;

-- Set only while somebody is being signed in or provisioned: opens the tables of identity and nothing else.
create function app_signin() returns boolean language sql stable parallel safe
  as $$ select coalesce(current_setting('app.signin', true), '') <> '' $$;

-- Organizations --------------------------------------------------------------------------------------------------

alter table orgs
  -- What its admins choose: default_role, mail_domains, public_read.
  add settings jsonb not null default '{}',
  -- Asked to be deleted, and when that will be done.
  add delete_requested_at timestamptz,
  add delete_after timestamptz,
  -- The number of the latest event of its membership history.
  add membership_events integer not null default 0;

alter table users add display_name text, add deactivated_at timestamptz;
-- A column, because row-level security keeps PostgreSQL from using an index on a function that could leak.
alter table users add email_key text collate "C" generated always as (lower(email)) stored;
drop index users_email;
create unique index users_email on users (email_key);

-- Every change of who is a member with which role. Numbered without gaps in each org, so that any page of it is found by
-- its numbers.
create table membership_events (
  org_id        uuid not null references orgs (org_id),
  event_no      integer not null,
  event_id      uuid not null,
  kind          text not null check (kind in ('added', 'changed', 'removed')),
  user_id       uuid not null references users (user_id),
  -- As they were called then.
  user_name     text not null,
  changed_by    text not null,
  role          text,
  previous_role text,
  source        text not null check (source in ('app', 'scim', 'invitation', 'script')),
  created_at    timestamptz not null,
  primary key (org_id, event_no)
);
create index membership_events_by_time on membership_events (org_id, created_at, event_no);
create index membership_events_by_user on membership_events (org_id, user_name, event_no);
create index membership_events_of_user on membership_events (org_id, user_id, event_no);
create index membership_events_by_role on membership_events (org_id, role, event_no);
create index membership_events_by_actor on membership_events (org_id, changed_by, event_no);
create index membership_events_by_source on membership_events (org_id, source, event_no);

-- What the event log knows of earlier changes, all of them made by the admin program.
insert into membership_events (org_id, event_no, event_id, kind, user_id, user_name, changed_by, role, previous_role,
                               source, created_at)
  select e.org_id, row_number() over (partition by e.org_id order by e.event_id), e.event_id,
    case e.kind when 'member_added' then 'added' else 'changed' end, u.user_id, u.name, e.actor, e.data ->> 'role',
    e.data ->> 'previous_role', 'script', e.happened_at
  from events e join users u on u.name = e.data ->> 'user'
  where e.kind in ('member_added', 'member_role_changed');
update orgs o set membership_events = (select count(*) from membership_events m where m.org_id = o.org_id);

create table invitations (
  org_id        uuid not null references orgs (org_id),
  invitation_id uuid not null,
  email         text not null,
  email_key     text collate "C" not null generated always as (lower(email)) stored,
  role          text not null check (role in ('admin', 'member', 'snapshotter', 'reader')),
  -- Of the token in the mail; another mail has another token.
  token_hash    bytea not null,
  invited_by    text not null,
  created_at    timestamptz not null,
  sent_at       timestamptz not null,
  expires_at    timestamptz not null,
  accepted_at   timestamptz,
  accepted_by   uuid references users (user_id),
  withdrawn_at  timestamptz,
  primary key (org_id, invitation_id),
  unique (org_id, token_hash)
);
create unique index invitations_open on invitations (org_id, email_key)
  where accepted_at is null and withdrawn_at is null;
create index invitations_by_token on invitations (token_hash);

-- Service accounts and keys ----------------------------------------------------------------------------------------

alter table service_accounts add deleted_at timestamptz, add created_by text not null default 'admin';
-- The name of a deleted account is free again; its keys and what it did stay known.
alter table service_accounts drop constraint service_accounts_org_id_name_key;
create unique index service_accounts_live on service_accounts (org_id, name) where deleted_at is null;

alter table service_account_keys
  add created_by text not null default 'admin',
  add revoked_by text,
  -- The key that took its place.
  add replaced_by uuid;
alter table personal_keys add revoked_by text, add replaced_by uuid;
create index keys_of_service_account on service_account_keys (org_id, service_account_id);

-- Keys for a quarter of an hour, given to a CI job that proved who it is.
create table trust_rules (
  org_id      uuid not null references orgs (org_id),
  rule_id     uuid not null,
  name        text not null,
  description text not null,
  -- Who must have signed the token, for whom it must be, and what it must say: claim to value.
  issuer      text not null,
  audience    text not null,
  claims      jsonb not null,
  privilege   text not null check (privilege in ('member', 'snapshotter', 'reader')),
  -- Only for this flow, if one is named. By name, because it is compared with the path before the org is entered.
  flow_name   text,
  created_by  text not null,
  created_at  timestamptz not null,
  last_modified_at timestamptz not null,
  last_used_at timestamptz,
  deleted_at  timestamptz,
  primary key (org_id, rule_id)
);
create unique index trust_rules_live on trust_rules (org_id, name) where deleted_at is null;

create table ci_keys (
  org_id       uuid not null,
  key_id       uuid not null,
  rule_id      uuid not null,
  secret_hash  bytea not null,
  -- Whom the token named, as issuer and subject.
  subject      text not null,
  -- The token it was given for, so that one token gives one key.
  token_hash   bytea not null,
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  last_used_at timestamptz,
  primary key (org_id, key_id),
  unique (org_id, secret_hash),
  unique (org_id, token_hash),
  foreign key (org_id, rule_id) references trust_rules (org_id, rule_id)
);
create index ci_keys_by_secret on ci_keys (secret_hash);

-- Sign-in ---------------------------------------------------------------------------------------------------------

-- Somebody as an identity provider knows them. Never by mail address alone: addresses change hands.
create table identities (
  issuer       text not null,
  subject      text not null,
  user_id      uuid not null references users (user_id),
  created_at   timestamptz not null,
  last_seen_at timestamptz not null,
  primary key (issuer, subject)
);
create index identities_of_user on identities (user_id);

create table sessions (
  session_id   uuid primary key,
  user_id      uuid not null references users (user_id),
  secret_hash  bytea not null unique,
  -- How they signed in: sso, link or first-run.
  method       text not null,
  user_agent   text not null,
  created_at   timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at   timestamptz not null,
  ended_at     timestamptz
);
create index sessions_of_user on sessions (user_id, created_at);

-- A sign-in at an identity provider that is under way, taken once when the browser comes back.
create table sign_in_attempts (
  state_hash   bytea primary key,
  browser_hash bytea not null,
  provider     text not null,
  -- Nonce and PKCE verifier, sealed.
  sealed       text not null,
  next_path    text not null,
  created_at   timestamptz not null,
  expires_at   timestamptz not null
);

-- A link that signs in once: mailed, or printed at the first start.
create table sign_in_links (
  token_hash   bytea primary key,
  user_id      uuid not null references users (user_id),
  -- Of the browser that asked; null where the link itself was handed over.
  browser_hash bytea,
  method       text not null check (method in ('link', 'first-run')),
  next_path    text not null,
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  redeemed_at  timestamptz
);
create index sign_in_links_of_user on sign_in_links (user_id, created_at);

-- SCIM ------------------------------------------------------------------------------------------------------------

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

create table scim_users (
  org_id           uuid not null references orgs (org_id),
  scim_id          uuid not null,
  user_id          uuid not null references users (user_id),
  user_name        text not null,
  user_key         text collate "C" not null generated always as (lower(user_name)) stored,
  external_id      text,
  active           boolean not null,
  -- Everything else the provider said, as it said it.
  resource         json not null,
  created_at       timestamptz not null,
  last_modified_at timestamptz not null,
  primary key (org_id, scim_id),
  unique (org_id, user_id)
);
create unique index scim_users_by_name on scim_users (org_id, user_key);
create index scim_users_by_external_id on scim_users (org_id, external_id) where external_id is not null;

create table scim_groups (
  org_id           uuid not null references orgs (org_id),
  group_id         uuid not null,
  display_name     text not null,
  display_key      text collate "C" not null generated always as (lower(display_name)) stored,
  external_id      text,
  -- The role that members of the group have, if its name says one.
  role             text check (role in ('admin', 'member', 'snapshotter', 'reader')),
  resource         json not null,
  created_at       timestamptz not null,
  last_modified_at timestamptz not null,
  primary key (org_id, group_id)
);
create unique index scim_groups_by_name on scim_groups (org_id, display_key);

create table scim_group_members (
  org_id   uuid not null,
  group_id uuid not null,
  scim_id  uuid not null,
  primary key (org_id, group_id, scim_id),
  foreign key (org_id, group_id) references scim_groups (org_id, group_id) on delete cascade,
  foreign key (org_id, scim_id) references scim_users (org_id, scim_id) on delete cascade
);
create index scim_groups_of_user on scim_group_members (org_id, scim_id);

-- Row-level security ------------------------------------------------------------------------------------------------

create policy recognised_or_public on orgs for select to waybill_app using (
  app_signin() or coalesce((settings ->> 'public_read')::boolean, false)
);
create policy recognised_makes on orgs for insert to waybill_app with check (app_user() is not null or app_signin());
create policy own_org_changes on orgs for update to waybill_app using (org_id = app_org());

create policy recognised on users for select to waybill_app using (user_id = app_user() or app_signin());
create policy signing_in_makes on users for insert to waybill_app with check (app_signin());
create policy recognised_changes on users for update to waybill_app using (user_id = app_user() or app_signin());

create policy own_org_changes on memberships to waybill_app using (org_id = app_org());
create policy recognised on memberships for select to waybill_app using (user_id = app_user() or app_signin());

create policy own_org_changes on service_accounts to waybill_app using (org_id = app_org());
create policy recognised on personal_keys to waybill_app using (user_id = app_user() or app_signin());

create policy own_org on membership_events to waybill_app using (org_id = app_org());
create policy own_org_or_presented on invitations to waybill_app using (
  org_id = app_org() or token_hash = app_key()
);
create policy own_org on trust_rules to waybill_app using (org_id = app_org());
create policy own_org_or_presented on ci_keys to waybill_app using (org_id = app_org() or secret_hash = app_key());
create policy presented_on_ci on trust_rules for select to waybill_app using (
  rule_id in (select k.rule_id from ci_keys k where k.secret_hash = app_key())
);
create policy presented_on_ci on orgs for select to waybill_app using (
  org_id in (select k.org_id from ci_keys k where k.secret_hash = app_key())
);
create policy signing_in_or_recognised on identities to waybill_app using (app_signin() or user_id = app_user());
create policy presented_or_recognised on sessions to waybill_app using (
  secret_hash = app_key() or user_id = app_user() or app_signin()
);
create policy session_presented on users for select to waybill_app using (
  user_id in (select s.user_id from sessions s where s.secret_hash = app_key())
);
create policy session_presented on memberships for select to waybill_app using (
  user_id in (select s.user_id from sessions s where s.secret_hash = app_key())
);
create policy signing_in on sign_in_attempts to waybill_app using (app_signin());
create policy signing_in on sign_in_links to waybill_app using (app_signin());
create policy own_org_or_presented on scim_tokens to waybill_app using (org_id = app_org() or secret_hash = app_key());
create policy presented_by_scim on orgs for select to waybill_app using (
  org_id in (select t.org_id from scim_tokens t where t.secret_hash = app_key())
);
create policy own_org on scim_users to waybill_app using (org_id = app_org());
create policy own_org on scim_groups to waybill_app using (org_id = app_org());
create policy own_org on scim_group_members to waybill_app using (org_id = app_org());

grant insert on orgs, users, memberships, service_accounts, personal_keys, service_account_keys to waybill_app;
grant update (description, features, settings, delete_requested_at, delete_after, membership_events) on orgs
  to waybill_app;
grant update (email, display_name, deactivated_at) on users to waybill_app;
grant update (role), delete on memberships to waybill_app;
grant update (display_name, privilege, description, deleted_at) on service_accounts to waybill_app;
grant update (expires_at, revoked_at, revoked_by, replaced_by) on personal_keys, service_account_keys to waybill_app;
grant select, insert on membership_events to waybill_app;
grant select, insert, update on invitations, trust_rules, ci_keys, identities, sessions, sign_in_links, scim_tokens,
  scim_users, scim_groups to waybill_app;
grant select, insert, delete on sign_in_attempts, scim_group_members to waybill_app;
grant delete on scim_users, scim_groups to waybill_app;

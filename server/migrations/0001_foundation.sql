-- Orgs, people, keys, flows, trails, events and the outbox.
--
-- Rules every table keeps (server/test/catalogue.test.ts holds them): org_id leads every primary key, unique index
-- and foreign key; row-level security is enabled and forced; the application role owns nothing. The exceptions are the
-- identity tables, which exist before any org is known: orgs, users, personal_keys.

create function app_org() returns uuid language sql stable parallel safe
  as $$ select nullif(current_setting('app.org', true), '')::uuid $$;

-- The hash of the key a caller presents: while it is being authenticated, it is what rows are visible by.
create function app_key() returns bytea language sql stable parallel safe
  as $$ select decode(nullif(current_setting('app.key', true), ''), 'hex') $$;

create function app_worker() returns boolean language sql stable parallel safe
  as $$ select coalesce(current_setting('app.worker', true), '') <> '' $$;

-- Identity -----------------------------------------------------------------------------------------------------

create table orgs (
  org_id      uuid primary key,
  name        text not null unique,
  kind        text not null check (kind in ('personal', 'shared')),
  description text not null default '',
  features    jsonb not null default '{}',
  created_at  timestamptz not null
);

create table users (
  user_id        uuid primary key,
  name           text not null unique,
  email          text,
  default_org_id uuid references orgs (org_id),
  created_at     timestamptz not null
);
create unique index users_email on users (lower(email));

create table memberships (
  org_id     uuid not null references orgs (org_id),
  user_id    uuid not null references users (user_id),
  role       text not null check (role in ('admin', 'member', 'snapshotter', 'reader')),
  created_at timestamptz not null,
  primary key (org_id, user_id)
);
create index memberships_of_user on memberships (user_id);

create table service_accounts (
  org_id             uuid not null references orgs (org_id),
  service_account_id uuid not null,
  name               text not null,
  display_name       text not null,
  privilege          text not null check (privilege in ('admin', 'member', 'snapshotter', 'reader')),
  description        text not null default '',
  creating_user_id   uuid references users (user_id),
  created_at         timestamptz not null,
  for_webhook        boolean not null default false,
  primary key (org_id, service_account_id),
  unique (org_id, name)
);

create table personal_keys (
  user_id      uuid not null references users (user_id),
  key_id       uuid not null,
  secret_hash  bytea not null unique,
  hint         text not null,
  description  text not null,
  created_at   timestamptz not null,
  expires_at   timestamptz,
  revoked_at   timestamptz,
  last_used_at timestamptz,
  primary key (user_id, key_id)
);

create table service_account_keys (
  org_id             uuid not null,
  service_account_id uuid not null,
  key_id             uuid not null,
  secret_hash        bytea not null,
  hint               text not null,
  description        text not null,
  created_at         timestamptz not null,
  expires_at         timestamptz,
  revoked_at         timestamptz,
  last_used_at       timestamptz,
  primary key (org_id, key_id),
  unique (org_id, secret_hash),
  foreign key (org_id, service_account_id) references service_accounts (org_id, service_account_id)
);
create index service_account_keys_by_secret on service_account_keys (secret_hash);

-- Flows and trails ---------------------------------------------------------------------------------------------

-- Templates are kept by content: a trail pins the one it was begun with, whatever the flow does later.
create table templates (
  org_id         uuid not null references orgs (org_id),
  template_id    uuid not null,
  content_sha256 bytea not null,
  content        text not null,
  parsed         jsonb not null,
  -- The state of a trail that has this template and no evidence, so that beginning one needs no second look.
  fresh_state    text not null check (fresh_state in ('COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE')),
  created_at     timestamptz not null,
  primary key (org_id, template_id),
  unique (org_id, content_sha256)
);

create table flows (
  org_id             uuid not null references orgs (org_id),
  flow_id            uuid not null,
  name               text not null,
  description        text not null,
  visibility         text not null check (visibility in ('public', 'private')),
  template_id        uuid not null,
  repo_url           text not null default '',
  tags               jsonb not null default '{}',
  created_by         text not null,
  created_at         timestamptz not null,
  last_modified_at   timestamptz not null,
  archived_at        timestamptz,
  primary key (org_id, flow_id),
  unique (org_id, name),
  foreign key (org_id, template_id) references templates (org_id, template_id)
);

-- A renamed flow keeps answering under its former names until another flow takes them.
create table former_flow_names (
  org_id  uuid not null,
  name    text not null,
  flow_id uuid not null,
  primary key (org_id, name),
  foreign key (org_id, flow_id) references flows (org_id, flow_id)
);

-- The hot tables name their org through their parent only: a foreign key of their own to one busy orgs row would make
-- every insert take a lock on it.
create table trails (
  org_id           uuid not null,
  trail_id         uuid not null,
  flow_id          uuid not null,
  name             text not null,
  description      text not null,
  template_id      uuid not null,
  git_commit_info  jsonb,
  repo_info        jsonb,
  origin_url       text,
  -- Echoed back as sent and never looked into: json keeps the sender's own text.
  external_urls    json,
  user_data        json,
  compliance_state text not null check (compliance_state in ('COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE')),
  evaluated_at     timestamptz not null,
  created_by       text not null,
  created_at       timestamptz not null,
  last_modified_at timestamptz not null,
  primary key (org_id, trail_id),
  unique (org_id, flow_id, name),
  foreign key (org_id, flow_id) references flows (org_id, flow_id),
  foreign key (org_id, template_id) references templates (org_id, template_id)
);
-- trail_id is a UUIDv7: its order is the order of creation, so "newest first" needs no second column.
create index trails_of_flow_newest_first on trails (org_id, flow_id, trail_id desc);

-- History and work ---------------------------------------------------------------------------------------------

create table events (
  org_id      uuid not null,
  event_id    uuid not null,
  kind        text not null,
  happened_at timestamptz not null,
  actor       text not null,
  request_id  text not null,
  flow_id     uuid,
  trail_id    uuid,
  data        jsonb not null,
  primary key (org_id, event_id)
);
-- What happened last in a flow: shown in every list of flows.
create index events_of_flow on events (org_id, flow_id, event_id) where flow_id is not null;
create index events_of_trail on events (org_id, trail_id, event_id) where trail_id is not null;

create table outbox (
  org_id      uuid not null,
  job_id      uuid not null,
  kind        text not null,
  payload     jsonb not null,
  created_at  timestamptz not null,
  due_at      timestamptz not null,
  attempts    integer not null default 0,
  lease_no    integer not null default 0,
  lease_until timestamptz,
  finished_at timestamptz,
  last_error  text,
  primary key (org_id, job_id)
);
create index outbox_due on outbox (due_at) where finished_at is null;

-- Row-level security: the application role sees one org at a time --------------------------------------------------

create policy own_org on orgs for select to waybill_app using (
  org_id = app_org()
  or org_id in (select m.org_id from memberships m)
  or org_id in (select k.org_id from service_account_keys k where k.secret_hash = app_key())
);
create policy presented_or_colleague on users for select to waybill_app using (
  user_id in (select k.user_id from personal_keys k where k.secret_hash = app_key())
  or user_id in (select m.user_id from memberships m where m.org_id = app_org())
);
create policy own_default_org on users for update to waybill_app using (
  user_id in (select m.user_id from memberships m where m.org_id = app_org())
);
create policy own_org on memberships for select to waybill_app using (
  org_id = app_org() or user_id in (select k.user_id from personal_keys k where k.secret_hash = app_key())
);
create policy own_org on service_accounts for select to waybill_app using (
  org_id = app_org()
  or service_account_id in (
    select k.service_account_id from service_account_keys k where k.secret_hash = app_key()
  )
);
create policy presented on personal_keys to waybill_app using (secret_hash = app_key());
create policy own_org on service_account_keys to waybill_app using (
  org_id = app_org() or secret_hash = app_key()
);
create policy own_org on templates to waybill_app using (org_id = app_org());
create policy own_org on flows to waybill_app using (org_id = app_org());
create policy own_org on former_flow_names to waybill_app using (org_id = app_org());
create policy own_org on trails to waybill_app using (org_id = app_org());
create policy own_org on events to waybill_app using (org_id = app_org());
create policy own_org_or_worker on outbox to waybill_app using (org_id = app_org() or app_worker());

grant select on orgs, users, memberships, service_accounts, personal_keys, service_account_keys to waybill_app;
grant update (default_org_id) on users to waybill_app;
grant update (last_used_at) on personal_keys, service_account_keys to waybill_app;
grant select, insert on templates, events to waybill_app;
grant select, insert, update on flows, trails, outbox to waybill_app;
grant select, insert, update, delete on former_flow_names to waybill_app;

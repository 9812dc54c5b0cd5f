-- Organizations, their usage, and the frozen ones.

create table orgs (
  org_id              uuid primary key,
  name                text not null unique,
  -- Names are unique without regard to case. Names that differed only in case before that rule keep a suffix here
  -- that no name can have.
  name_clash          text not null default '',
  name_key            text collate "C" not null generated always as (lower(name) || name_clash) stored,
  kind                text not null check (kind in ('personal', 'shared')),
  description         text not null default '',
  features            jsonb not null default '{}',
  -- Settings that its admins choose: default_role, mail_domains, public_read, public_log.
  settings            jsonb not null default '{}',
  -- Quotas that the operator set for it, where they differ from the installation's; null is no quota. The
  -- application cannot change them.
  quotas              jsonb not null default '{}',
  -- When its deletion was requested, and when it takes effect.
  delete_requested_at timestamptz,
  delete_after        timestamptz,
  -- The number of the newest event in its membership history.
  membership_events   integer not null default 0,
  notifications       integer not null default 0,
  created_at          timestamptz not null
);
comment on column orgs.notifications is 'The number of the newest environment notification; numbers are never used again.';
create unique index orgs_name_without_case on orgs (name_key);

create trigger notify_caller_change
  after delete or update of name, features, settings, quotas, delete_requested_at on orgs
  for each row execute function notify_caller_change('org_id');

create policy own_org on orgs for select to waybill_app using (
  org_id = app_org()
  or org_id in (select m.org_id from memberships m)
  or org_id in (select k.org_id from service_account_keys k where k.secret_hash = app_key())
);
create policy presented_on_ci on orgs for select to waybill_app using (
  org_id in (select k.org_id from ci_keys k where k.secret_hash = app_key())
);
create policy presented_by_scim on orgs for select to waybill_app using (
  org_id in (select t.org_id from scim_tokens t where t.secret_hash = app_key())
);
create policy recognised_or_public on orgs for select to waybill_app using (
  app_signin() or coalesce((settings ->> 'public_read')::boolean, false)
);
-- The name of an organization whose log is public must be found without credentials. Compared as text, because
-- PostgreSQL would expect every second organization to have a setting that it reads as a boolean.
create policy public_log on orgs for select to waybill_app using (settings ->> 'public_log' = 'true');
create policy recognised_makes on orgs for insert to waybill_app with check (app_user() is not null or app_signin());
create policy own_org_changes on orgs for update to waybill_app using (org_id = app_org());

grant select, insert,
  update (description, features, settings, delete_requested_at, delete_after, membership_events, notifications)
  on orgs to waybill_app;

-- How many bytes of evidence an organization has stored, to compare with its quota.
create table org_usage (
  org_id         uuid primary key references orgs (org_id),
  -- Counts the attachments that attestations name, each content once.
  evidence_bytes bigint not null default 0
);
create policy own_org on org_usage to waybill_app using (org_id = app_org());
-- The metrics add up the evidence of all organizations.
create policy worker_looks on org_usage for select to waybill_app using (app_worker());
grant select, insert, update on org_usage to waybill_app;

-- How many mails people made an organization send, so that nobody can use it to flood a mailbox. Each count begins
-- with its first mail.
create table sending_counts (
  org_id   uuid not null references orgs (org_id),
  what     text not null check (what in ('test', 'invitation')),
  -- 'org', 'caller:<id>' or 'address:<SHA-256 of the address>'
  who      text not null,
  began_at timestamptz not null,
  used     integer not null,
  primary key (org_id, what, who)
);
create policy own_org on sending_counts to waybill_app using (org_id = app_org());
grant select, insert, update, delete on sending_counts to waybill_app;

-- Organizations that a cell must not change while they are copied to another one (docs/adr/0026-cells.md). Every
-- transaction looks here when it sets its scope (db/database.ts) and is read-only if its organization is listed.
create table frozen_orgs (
  org_id      uuid primary key references orgs (org_id),
  frozen_at   timestamptz not null,
  reason      text not null,
  -- Background work has stopped while requests still write, so that running jobs can finish.
  is_draining boolean not null,
  -- The cell that serves it now; null while it is only frozen. A moved organization cannot be read here.
  moved_to    text
);
create policy own_org_or_worker on frozen_orgs for select to waybill_app using (org_id = app_org() or app_worker());
-- For the statements that record the use of a key.
create policy presented on frozen_orgs for select to waybill_app using (
  org_id in (select k.org_id from service_account_keys k where k.secret_hash = app_key())
  or org_id in (select k.org_id from ci_keys k where k.secret_hash = app_key())
  or org_id in (select t.org_id from scim_tokens t where t.secret_hash = app_key())
);
grant select on frozen_orgs to waybill_app;

-- Called by the statement that sets the scope.
create function refuse_moved_org() returns text language plpgsql as $$
begin
  raise exception 'the organization has moved to another cell' using errcode = 'WB001';
end $$;

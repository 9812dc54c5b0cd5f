-- People, their roles in organizations, and the history of those roles.

-- People exist apart from organizations: one person can belong to several.
create table users (
  user_id         uuid primary key,
  name            text not null unique,
  -- Like orgs.name_clash.
  name_clash      text not null default '',
  name_key        text collate "C" not null generated always as (lower(name) || name_clash) stored,
  display_name    text,
  email           text,
  email_key       text collate "C" generated always as (lower(email)) stored,
  -- When the person proved the address with a link (docs/adr/0060-proving-an-address.md); null if it came from
  -- single sign-on, a directory, an invitation or the operator.
  email_proved_at timestamptz,
  default_org_id  uuid references orgs (org_id),
  -- How the person wants to see times; null is local, the time zone of the browser.
  time_zone       text constraint users_time_zone_check check (time_zone in ('local', 'utc')),
  created_at      timestamptz not null,
  deactivated_at  timestamptz
);
create unique index users_name_without_case on users (name_key);
create unique index users_email on users (email_key);

create trigger notify_caller_change
  after delete or update of name, default_org_id, deactivated_at on users
  for each row execute function notify_caller_change('user_id');

create policy presented_or_colleague on users for select to waybill_app using (
  user_id in (select k.user_id from personal_keys k where k.secret_hash = app_key())
  or user_id in (select m.user_id from memberships m where m.org_id = app_org())
);
create policy session_presented on users for select to waybill_app using (
  user_id in (select s.user_id from sessions s where s.secret_hash = app_key())
);
create policy recognised on users for select to waybill_app using (user_id = app_user() or app_signin());
create policy signing_in_makes on users for insert to waybill_app with check (app_signin());
create policy own_default_org on users for update to waybill_app using (
  user_id in (select m.user_id from memberships m where m.org_id = app_org())
);
create policy recognised_changes on users for update to waybill_app using (user_id = app_user() or app_signin());

grant select, insert,
  update (email, email_proved_at, display_name, default_org_id, time_zone, deactivated_at)
  on users to waybill_app;

create table memberships (
  org_id     uuid not null references orgs (org_id),
  user_id    uuid not null references users (user_id),
  role       text not null check (role in ('admin', 'member', 'snapshotter', 'auditor', 'reader')),
  created_at timestamptz not null,
  primary key (org_id, user_id)
);
create index memberships_of_user on memberships (user_id);

create trigger notify_caller_change
  after insert or delete or update on memberships
  for each row execute function notify_caller_change('user_id');

create policy own_org on memberships for select to waybill_app using (
  org_id = app_org() or user_id in (select k.user_id from personal_keys k where k.secret_hash = app_key())
);
create policy session_presented on memberships for select to waybill_app using (
  user_id in (select s.user_id from sessions s where s.secret_hash = app_key())
);
create policy recognised on memberships for select to waybill_app using (user_id = app_user() or app_signin());
create policy own_org_changes on memberships to waybill_app using (org_id = app_org());
grant select, insert, update (role), delete on memberships to waybill_app;

-- Every change of a membership or its role. Numbered without gaps in each organization, so that any page is found
-- by its numbers.
create table membership_events (
  org_id        uuid not null references orgs (org_id),
  event_no      integer not null,
  event_id      uuid not null,
  kind          text not null check (kind in ('added', 'changed', 'removed')),
  user_id       uuid not null references users (user_id),
  -- The name at that time.
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

create policy own_org on membership_events to waybill_app using (org_id = app_org());
-- People's names are erased with the bodies of events (docs/adr/0034-erasure-and-history.md). Restrictive: it
-- applies in addition to the policy that tells which organization a row belongs to, so that the application can
-- erase and change nothing else.
create policy only_erase on membership_events as restrictive for update to waybill_app
  using (true) with check (user_name = 'erased' and changed_by = 'erased');
grant select, insert, update (user_name, changed_by) on membership_events to waybill_app;

-- Controls of an organization's catalogue, decisions that need two people, and expiring decisions on controls.

create table controls (
  org_id           uuid not null references orgs (org_id),
  control_id       uuid not null,
  -- The name that policies and decisions use; it never changes.
  identifier       text collate "C" not null,
  name             text not null,
  description      text,
  -- Address by label.
  links            jsonb not null default '{}',
  tags             jsonb not null default '{}',
  version          integer not null default 1,
  created_by       text not null,
  created_at       timestamptz not null,
  last_modified_at timestamptz not null,
  archived_at      timestamptz,
  primary key (org_id, control_id),
  unique (org_id, identifier)
);
create policy own_org on controls to waybill_app using (org_id = app_org());
grant select, insert, update on controls to waybill_app;

-- The definition after each change. Tags are not part of it.
create table control_versions (
  org_id      uuid not null,
  control_id  uuid not null,
  version     integer not null,
  kind        text not null check (kind in ('Created', 'Edited', 'Archived', 'Unarchived')),
  name        text not null,
  description text,
  links       jsonb not null,
  changed_by  text not null,
  changed_at  timestamptz not null,
  primary key (org_id, control_id, version),
  foreign key (org_id, control_id) references controls (org_id, control_id)
);
create policy own_org on control_versions to waybill_app using (org_id = app_org());
create policy only_erase on control_versions as restrictive for update to waybill_app
  using (true) with check (changed_by = 'erased');
grant select, insert, update (changed_by) on control_versions to waybill_app;

-- Decisions for which an organization requires two people: one requests, another confirms.
create table decisions (
  org_id      uuid not null references orgs (org_id),
  decision_id uuid not null,
  kind        text not null check (kind in ('override', 'allow')),
  -- The decision without its reason, to recognize a second request for the same decision.
  subject     jsonb not null,
  reason      text not null,
  asked_by    text not null,
  asked_by_id uuid not null,
  created_at  timestamptz not null,
  expires_at  timestamptz not null,
  closed_at   timestamptz,
  closed_by   text,
  outcome     text check (outcome in ('confirmed', 'withdrawn')),
  primary key (org_id, decision_id)
);
create unique index decisions_open on decisions (org_id, kind, md5(subject::text)) where closed_at is null;
create index decisions_by_time on decisions (org_id, decision_id) where closed_at is null;
create policy own_org on decisions to waybill_app using (org_id = app_org());
grant select, insert, update (closed_at, closed_by, outcome) on decisions to waybill_app;

-- Decisions on controls whose expiry lies ahead or has not been handled yet (docs/adr/0063-decisions-expire.md).
-- The transaction that records the event and requests the evaluations deletes the row.
create table expiring_decisions (
  org_id         uuid not null,
  attestation_id uuid not null,
  expires_at     timestamptz not null,
  primary key (org_id, attestation_id),
  foreign key (org_id, attestation_id) references attestations (org_id, attestation_id) on delete cascade
);
create index expiring_decisions_by_time on expiring_decisions (expires_at);
create index expiring_decisions_of_org on expiring_decisions (org_id, expires_at);
create policy own_org_or_worker on expiring_decisions to waybill_app using (org_id = app_org() or app_worker());
grant select, insert, delete on expiring_decisions to waybill_app;

-- Decisions for which an organization wants two persons: the first one asks, another one confirms.

create table decisions (
  org_id       uuid not null references orgs (org_id),
  decision_id  uuid not null,
  kind         text not null check (kind in ('override', 'allow')),
  -- What is decided, so that a second request can be known for the same; the reason is not part of it.
  subject      jsonb not null,
  reason       text not null,
  asked_by     text not null,
  asked_by_id  uuid not null,
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  closed_at    timestamptz,
  closed_by    text,
  outcome      text check (outcome in ('confirmed', 'withdrawn')),
  primary key (org_id, decision_id)
);
create unique index decisions_open on decisions (org_id, kind, md5(subject::text)) where closed_at is null;
create index decisions_by_time on decisions (org_id, decision_id) where closed_at is null;

alter table decisions enable row level security;
alter table decisions force row level security;
create policy own_org on decisions to waybill_app using (org_id = app_org());
grant select, insert on decisions to waybill_app;
grant update (closed_at, closed_by, outcome) on decisions to waybill_app;

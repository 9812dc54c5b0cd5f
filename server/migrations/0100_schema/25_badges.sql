-- Badges: pictures of one state that anyone with the address can load (docs/adr/0042-badges.md). The address has a token;
-- only its hash is stored.

create table badges (
  org_id         uuid not null references orgs (org_id),
  badge_id       uuid not null,
  secret_hash    bytea not null,
  hint           text not null,
  environment_id uuid,
  flow_id        uuid,
  -- Only together with an environment: the badge shows whether this artifact is allowed there.
  fingerprint    text collate "C",
  -- Null for the name of the environment or flow.
  label          text,
  created_by     text not null,
  created_at     timestamptz not null,
  revoked_at     timestamptz,
  revoked_by     text,
  primary key (org_id, badge_id),
  unique (org_id, secret_hash),
  foreign key (org_id, environment_id) references environments (org_id, environment_id),
  foreign key (org_id, flow_id) references flows (org_id, flow_id),
  check ((environment_id is null) <> (flow_id is null)),
  check (fingerprint is null or environment_id is not null)
);
create index badges_by_secret on badges (secret_hash);
create index badges_by_environment on badges (org_id, environment_id);
create index badges_by_flow on badges (org_id, flow_id);
create policy own_org_or_presented on badges to waybill_app using (org_id = app_org() or secret_hash = app_key());
grant select, insert, update on badges to waybill_app;

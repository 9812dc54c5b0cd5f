-- Keyless CI (OIDC): trust rules, and the keys that a CI job gets for a quarter of an hour when its token matches
-- one.

create table trust_rules (
  org_id           uuid not null references orgs (org_id),
  rule_id          uuid not null,
  name             text not null,
  description      text not null,
  -- The required issuer, audience and claims of a token, with the claims' values.
  issuer           text not null,
  audience         text not null,
  claims           jsonb not null,
  -- The kind of issuer, which determines the claim that pins it; null in rules of versions without kinds.
  issuer_kind      text,
  -- The public keys of an issuer that the service cannot reach.
  jwks             jsonb,
  privilege        text not null check (privilege in ('member', 'snapshotter', 'reader')),
  operations       text[] not null default '{read,report,attest}',
  -- Limits the keys to this flow; null for all.
  flow_id          uuid,
  created_by       text not null,
  created_at       timestamptz not null,
  last_modified_at timestamptz not null,
  last_used_at     timestamptz,
  deleted_at       timestamptz,
  primary key (org_id, rule_id),
  foreign key (org_id, flow_id) references flows (org_id, flow_id)
);
create unique index trust_rules_live on trust_rules (org_id, name) where deleted_at is null;

create trigger notify_caller_change
  after delete or update of name, privilege, operations, flow_id, deleted_at on trust_rules
  for each row execute function notify_caller_change('rule_id');

create policy own_org on trust_rules to waybill_app using (org_id = app_org());
create policy presented_on_ci on trust_rules for select to waybill_app using (
  rule_id in (select k.rule_id from ci_keys k where k.secret_hash = app_key())
);
grant select, insert, update on trust_rules to waybill_app;

create table ci_keys (
  org_id         uuid not null,
  key_id         uuid not null,
  rule_id        uuid not null,
  secret_hash    bytea not null,
  -- The issuer and subject of the token.
  subject        text not null,
  -- One token gives one key.
  token_hash     bytea not null,
  created_at     timestamptz not null,
  expires_at     timestamptz not null,
  last_used_at   timestamptz,
  last_used_from text,
  primary key (org_id, key_id),
  unique (org_id, secret_hash),
  unique (org_id, token_hash),
  foreign key (org_id, rule_id) references trust_rules (org_id, rule_id)
);
create index ci_keys_by_secret on ci_keys (secret_hash);

create trigger notify_caller_change
  after delete or update of rule_id, secret_hash, expires_at on ci_keys
  for each row execute function notify_caller_change('rule_id');

create policy own_org_or_presented on ci_keys to waybill_app using (org_id = app_org() or secret_hash = app_key());
grant select, insert, update on ci_keys to waybill_app;

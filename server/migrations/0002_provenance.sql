-- Artifacts, attestations, evidence, repositories and custom attestation types.

-- The flow a name means: the one that bears it, else the one that last bore it.
create function flow_named(wanted_org uuid, wanted_name text) returns uuid language sql stable parallel safe as $$
  select coalesce(
    (select f.flow_id from flows f
     where f.org_id = wanted_org and f.name = wanted_name and f.archived_at is null),
    (select f.flow_id from former_flow_names n join flows f on f.org_id = n.org_id and f.flow_id = n.flow_id
     where n.org_id = wanted_org and n.name = wanted_name and f.archived_at is null))
$$;

-- Whether evidence of one type fills a slot that asks for another (server/src/domain/trail/fill-slots.ts says the same).
create function type_fits(slot_type text, evidence_type text) returns boolean language sql immutable parallel safe as $$
  select slot_type = '*' or slot_type = evidence_type
    or (slot_type = 'decision' and evidence_type = 'system:decision')
$$;

-- What a template asks for, one row per slot, so that a trail can be judged by a join. The trail's own slots have the
-- artifact name ''.
create table template_artifacts (
  org_id      uuid not null,
  template_id uuid not null,
  name        text not null,
  primary key (org_id, template_id, name),
  foreign key (org_id, template_id) references templates (org_id, template_id)
);
create table template_slots (
  org_id        uuid not null,
  template_id   uuid not null,
  artifact_name text not null,
  name          text not null,
  type          text not null,
  primary key (org_id, template_id, artifact_name, name),
  foreign key (org_id, template_id) references templates (org_id, template_id)
);
insert into template_artifacts (org_id, template_id, name)
  select t.org_id, t.template_id, a ->> 'name'
  from templates t, jsonb_array_elements(t.parsed -> 'trail' -> 'artifacts') a;
insert into template_slots (org_id, template_id, artifact_name, name, type)
  select t.org_id, t.template_id, '', s ->> 'name', s ->> 'type'
  from templates t, jsonb_array_elements(t.parsed -> 'trail' -> 'attestations') s
  union all
  select t.org_id, t.template_id, a ->> 'name', s ->> 'name', s ->> 'type'
  from templates t, jsonb_array_elements(t.parsed -> 'trail' -> 'artifacts') a,
       jsonb_array_elements(a -> 'attestations') s;

-- Repositories come into being through what pipelines say of them; the git host's own id is what tells them apart.
create table repos (
  org_id           uuid not null,
  repo_id          uuid not null,
  provider         text not null,
  external_id      text not null,
  name             text not null,
  url              text not null,
  description      text not null,
  namespace_path   jsonb not null,
  additional_info  jsonb not null,
  tags             jsonb not null default '{}',
  created_at       timestamptz not null,
  last_modified_at timestamptz not null,
  primary key (org_id, repo_id),
  unique (org_id, provider, external_id)
);
create index repos_by_name on repos (org_id, name);

create table trail_repos (
  org_id   uuid not null,
  trail_id uuid not null,
  repo_id  uuid not null,
  primary key (org_id, trail_id, repo_id),
  foreign key (org_id, trail_id) references trails (org_id, trail_id),
  foreign key (org_id, repo_id) references repos (org_id, repo_id)
);

-- Commits are looked up by prefix, in byte order whatever the database's own.
-- A column, because row-level security keeps PostgreSQL from using an index on an expression that could leak.
alter table trails add git_commit text collate "C" generated always as (git_commit_info ->> 'sha1') stored;
create index trails_of_commit on trails (org_id, git_commit) where git_commit is not null;

create table artifacts (
  org_id                  uuid not null,
  artifact_id             uuid not null,
  flow_id                 uuid not null,
  -- Null for the older kind of report, which knows no trails.
  trail_id                uuid,
  template_reference_name text,
  fingerprint             text collate "C" not null check (fingerprint ~ '^[a-f0-9]{64}$'),
  filename                text not null,
  git_commit              text collate "C",
  state                   text not null check (state in ('COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE')),
  -- False once a later build of the same template name has been reported on the trail: only the latest is judged.
  is_current              boolean not null,
  repo_id                 uuid,
  -- Everything else that was reported, as it was sent.
  report                  json not null,
  created_by              text not null,
  created_at              timestamptz not null,
  last_modified_at        timestamptz not null,
  primary key (org_id, artifact_id),
  foreign key (org_id, flow_id) references flows (org_id, flow_id),
  foreign key (org_id, trail_id) references trails (org_id, trail_id),
  foreign key (org_id, repo_id) references repos (org_id, repo_id)
);
-- The same build reported twice on one trail is one artifact.
create unique index artifacts_of_trail on artifacts (org_id, trail_id, template_reference_name, fingerprint)
  where trail_id is not null;
create unique index artifacts_without_trail on artifacts (org_id, flow_id, fingerprint) where trail_id is null;
create index artifacts_by_fingerprint on artifacts (org_id, fingerprint);
create index artifacts_by_commit on artifacts (org_id, git_commit) where git_commit is not null;
create index artifacts_of_flow on artifacts (org_id, flow_id, artifact_id);

create table attestations (
  org_id               uuid not null,
  attestation_id       uuid not null,
  flow_id              uuid not null,
  trail_id             uuid not null,
  -- The artifact it was reported for by fingerprint; null for the trail itself and for artifacts to come.
  artifact_id          uuid,
  -- Names of artifacts that need not exist yet; bound to those that are built from the same commit.
  target_artifacts     text[] not null,
  attestation_name     text not null,
  attestation_type     text not null,
  is_compliant         boolean not null,
  git_commit           text collate "C",
  -- For an override: the attestation whose verdict it replaces.
  overridden_attestation_id uuid,
  -- For a decision: the control it answers.
  control              text,
  -- Everything else that was reported, as it was sent, and what the verdict rests on.
  report               json not null,
  evidence_sha256      text,
  evidence_name        text,
  evidence_bytes       bigint,
  reported_by          text not null,
  created_at           timestamptz not null,
  primary key (org_id, attestation_id),
  foreign key (org_id, trail_id) references trails (org_id, trail_id),
  foreign key (org_id, artifact_id) references artifacts (org_id, artifact_id)
);
create index attestations_of_trail on attestations (org_id, trail_id, attestation_name, attestation_id);
create index attestations_waiting on attestations (org_id, trail_id, git_commit) where target_artifacts <> '{}';
create index attestations_by_evidence on attestations (org_id, evidence_sha256) where evidence_sha256 is not null;

-- The latest attestation of each name for each target: what a trail is judged by. The trail itself is the artifact with
-- the id of all zeros, so that one key covers both.
create table evidence_slots (
  org_id           uuid not null,
  trail_id         uuid not null,
  artifact_id      uuid not null,
  attestation_name text not null,
  attestation_id   uuid not null,
  -- What it counts as: for an override, the type it stands in for.
  counts_as_type   text not null,
  is_compliant     boolean not null,
  overridden_attestation_id uuid,
  primary key (org_id, trail_id, artifact_id, attestation_name),
  foreign key (org_id, attestation_id) references attestations (org_id, attestation_id)
);
create index slots_of_artifact on evidence_slots (org_id, artifact_id)
  where artifact_id <> '00000000-0000-0000-0000-000000000000';

-- What was answered to a request that named itself: a retry of it is answered the same and stores nothing. All such
-- requests are answered alike when they succeed, so that the row itself is the answer.
create table idempotency_keys (
  org_id         uuid not null,
  caller_id      uuid not null,
  key            text not null,
  request_sha256 text not null,
  created_at     timestamptz not null,
  primary key (org_id, caller_id, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

create table custom_attestation_types (
  org_id           uuid not null references orgs (org_id),
  type_id          uuid not null,
  name             text not null,
  description      text,
  archived_at      timestamptz,
  created_by       text not null,
  created_at       timestamptz not null,
  last_modified_at timestamptz not null,
  primary key (org_id, type_id),
  unique (org_id, name)
);
create table custom_attestation_type_versions (
  org_id      uuid not null,
  type_id     uuid not null,
  version     integer not null,
  type_schema json,
  rules       text[],
  summary     json,
  created_by  text not null,
  created_at  timestamptz not null,
  primary key (org_id, type_id, version),
  foreign key (org_id, type_id) references custom_attestation_types (org_id, type_id)
);

create policy own_org on template_artifacts to waybill_app using (org_id = app_org());
create policy own_org on template_slots to waybill_app using (org_id = app_org());
create policy own_org on repos to waybill_app using (org_id = app_org());
create policy own_org on trail_repos to waybill_app using (org_id = app_org());
create policy own_org on artifacts to waybill_app using (org_id = app_org());
create policy own_org on attestations to waybill_app using (org_id = app_org());
create policy own_org on evidence_slots to waybill_app using (org_id = app_org());
create policy own_org on idempotency_keys to waybill_app using (org_id = app_org());
create policy own_org on custom_attestation_types to waybill_app using (org_id = app_org());
create policy own_org on custom_attestation_type_versions to waybill_app using (org_id = app_org());

grant select, insert on template_artifacts, template_slots, trail_repos, attestations, idempotency_keys,
  custom_attestation_type_versions to waybill_app;
grant select, insert, update on repos, artifacts, evidence_slots, custom_attestation_types to waybill_app;

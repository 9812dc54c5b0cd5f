-- Attestations: evidence about a trail or an artifact, with files. The newest one of each name decides.

create table attestations (
  org_id                    uuid not null,
  attestation_id            uuid not null,
  flow_id                   uuid not null,
  trail_id                  uuid not null,
  -- The artifact that the fingerprint named; null for the trail itself and for artifacts that do not exist yet.
  artifact_id               uuid,
  -- Names of artifacts that need not exist yet; bound to artifacts built from the same commit.
  target_artifacts          text[] not null,
  attestation_name          text not null,
  attestation_type          text not null,
  is_compliant              boolean not null,
  git_commit                text collate "C",
  -- For an override: the attestation whose verdict it replaces.
  overridden_attestation_id uuid,
  -- For a decision: the control, its version at that time (null if there was no such control), and when the decision expires
  -- (docs/adr/0063-decisions-expire.md).
  control                   text,
  control_version           integer,
  expires_at                timestamptz,
  -- Everything else that was reported, as it was sent, and what the verdict is based on.
  report                    json not null,
  -- The first file. For an attestation from a version without attestation_files, this is its only record.
  evidence_sha256           text,
  evidence_name             text,
  evidence_bytes            bigint,
  reported_by               text not null,
  created_at                timestamptz not null,
  primary key (org_id, attestation_id),
  foreign key (org_id, trail_id) references trails (org_id, trail_id),
  foreign key (org_id, artifact_id) references artifacts (org_id, artifact_id)
);
create index attestations_of_trail on attestations (org_id, trail_id, attestation_name, attestation_id);
create index attestations_waiting on attestations (org_id, trail_id, git_commit) where target_artifacts <> '{}';
create index attestations_of_artifact on attestations (org_id, artifact_id) where artifact_id is not null;
create index attestations_of_flow on attestations (org_id, flow_id, attestation_id);
create index attestations_of_commit on attestations (org_id, git_commit) where git_commit is not null;
create index attestations_by_evidence on attestations (org_id, evidence_sha256) where evidence_sha256 is not null;
create index attestations_on_control on attestations (org_id, control, attestation_id) where control is not null;
-- An evaluation looks up the control of thousands of attestations, and few have one.
create index attestations_on_controls on attestations (org_id, attestation_id) include (control, expires_at)
  where control is not null;

create policy own_org on attestations to waybill_app using (org_id = app_org());
-- Like the events policy: the application can erase and change nothing else. The type that an override replaces
-- stays, because it determines which slot the override fills and reveals nothing about a person.
create policy only_erase on attestations as restrictive for update to waybill_app
  using (reported_by <> 'erased')
  with check (
    reported_by = 'erased' and evidence_sha256 is null and evidence_name is null and evidence_bytes is null
    and report::jsonb - 'original_attestation_type' = '{}'
  );
grant select, insert, update (report, reported_by, evidence_sha256, evidence_name, evidence_bytes)
  on attestations to waybill_app;

-- The files, in the order in which they were sent (docs/adr/0044-several-files.md).
create table attestation_files (
  org_id           uuid not null,
  attestation_id   uuid not null,
  position         int not null,
  name             text not null,
  media_type       text not null,
  -- The content, after decompression if it was sent compressed.
  bytes            bigint not null,
  sha256           text not null,
  content_encoding text,
  -- The object in the evidence store: the bytes as they were sent.
  stored_bytes     bigint not null,
  stored_sha256    text not null,
  primary key (org_id, attestation_id, position),
  foreign key (org_id, attestation_id) references attestations (org_id, attestation_id) on delete cascade
);
create index attestation_files_by_object on attestation_files (org_id, stored_sha256);
create policy own_org on attestation_files to waybill_app using (org_id = app_org());
-- Only the files of an erased attestation can be deleted.
create policy only_erase on attestation_files as restrictive for delete to waybill_app
  using (exists (
    select from attestations a
    where a.org_id = attestation_files.org_id and a.attestation_id = attestation_files.attestation_id
      and a.reported_by = 'erased'
  ));
grant select, insert, delete on attestation_files to waybill_app;

-- The newest attestation of each name for each target, from which a trail is evaluated. For the trail itself, the artifact
-- id is all zeros, so that one key covers both.
create table evidence_slots (
  org_id                    uuid not null,
  trail_id                  uuid not null,
  artifact_id               uuid not null,
  attestation_name          text not null,
  attestation_id            uuid not null,
  -- The type that it counts as: for an override, the type of the overridden attestation.
  counts_as_type            text not null,
  is_compliant              boolean not null,
  overridden_attestation_id uuid,
  primary key (org_id, trail_id, artifact_id, attestation_name),
  foreign key (org_id, attestation_id) references attestations (org_id, attestation_id)
);
create index slots_of_attestation on evidence_slots (org_id, attestation_id);
create index slots_of_artifact on evidence_slots (org_id, artifact_id)
  where artifact_id <> '00000000-0000-0000-0000-000000000000';
create policy own_org on evidence_slots to waybill_app using (org_id = app_org());
grant select, insert, update on evidence_slots to waybill_app;

-- System types are written without a prefix and stored with one; server/src/domain/attestation/types.ts does the
-- same.
create function stored_type(written text) returns text language sql immutable parallel safe as $$
  select case when written in ('decision', 'sbom') then 'system:' || written else written end
$$;

-- Unused; see template_artifacts.
create function type_fits(slot_type text, evidence_type text) returns boolean
  language sql immutable parallel safe as $$
  select slot_type = '*' or slot_type = evidence_type or stored_type(slot_type) = evidence_type
$$;

-- Types that an organization defines, with every version of their rules.
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
create policy own_org on custom_attestation_types to waybill_app using (org_id = app_org());
grant select, insert, update on custom_attestation_types to waybill_app;

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
create policy own_org on custom_attestation_type_versions to waybill_app using (org_id = app_org());
create policy only_erase on custom_attestation_type_versions as restrictive for update to waybill_app
  using (true) with check (created_by = 'erased');
grant select, insert, update (created_by) on custom_attestation_type_versions to waybill_app;

-- Artifacts: builds of flows, known by fingerprint. Every report of an artifact stays; the artifact itself shows
-- the newest.

create table artifacts (
  org_id                  uuid not null,
  artifact_id             uuid not null,
  flow_id                 uuid not null,
  -- Null for the older kind of report, which has no trail.
  trail_id                uuid,
  template_reference_name text,
  fingerprint             text collate "C" not null check (fingerprint ~ '^[a-f0-9]{64}$'),
  filename                text not null,
  git_commit              text collate "C",
  state                   text not null check (state in ('COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE')),
  -- False once a later build of the same template name has been reported on the trail: only the newest is evaluated.
  is_current              boolean not null,
  repo_id                 uuid,
  -- The newest report, its sender, and its own verdict on the artifact: null if it had none.
  report_id               uuid not null,
  reported_by             text not null,
  is_declared_compliant   boolean,
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
create index artifacts_by_state on artifacts (org_id, state, artifact_id desc);
create index artifacts_of_flow on artifacts (org_id, flow_id, artifact_id);
create index artifacts_of_repo on artifacts (org_id, repo_id, artifact_id) where repo_id is not null;
-- Tells which states the builds of a large trail have, without reading them.
create index artifacts_current on artifacts (org_id, trail_id, state) where is_current;
create policy own_org on artifacts to waybill_app using (org_id = app_org());
grant select, insert, update on artifacts to waybill_app;

create table artifact_reports (
  org_id       uuid not null,
  report_id    uuid not null,
  artifact_id  uuid not null,
  filename     text not null,
  git_commit   text collate "C",
  -- The report's own verdict on the artifact; null if it had none.
  is_compliant boolean,
  -- Everything else that was reported, as it was sent.
  report       json not null,
  reported_by  text not null,
  reported_at  timestamptz not null,
  primary key (org_id, report_id),
  foreign key (org_id, artifact_id) references artifacts (org_id, artifact_id)
);
create index artifact_reports_of_artifact on artifact_reports (org_id, artifact_id, report_id);
create index artifact_reports_by_commit on artifact_reports (org_id, git_commit) where git_commit is not null;
create policy own_org on artifact_reports to waybill_app using (org_id = app_org());
-- Like the events policy: the application can erase and change nothing else.
create policy only_erase on artifact_reports as restrictive for update to waybill_app
  using (reported_by <> 'erased')
  with check (reported_by = 'erased' and report::jsonb = '{"build_url": "", "commit_url": ""}');
grant select, insert, update (report, reported_by) on artifact_reports to waybill_app;

-- Like trail_words. Words of former file names stay.
create table artifact_words (
  org_id      uuid not null,
  word        text collate "C" not null,
  artifact_id uuid not null,
  flow_id     uuid not null,
  primary key (org_id, word, artifact_id) include (flow_id)
);
create policy own_org on artifact_words to waybill_app using (org_id = app_org());
grant select, insert on artifact_words to waybill_app;

-- The artifacts running in each environment now, and the pending evaluations.

-- A snapshot is taken from this table. A change that is not worth a snapshot waits here for the next one.
create table running_artifacts (
  org_id            uuid not null,
  environment_id    uuid not null,
  -- The fingerprint, or `name:` and the name if the digest is unknown.
  artifact_key      text collate "C" not null,
  fingerprint       text collate "C" not null,
  name              text not null,
  instance_count    integer not null,
  instances         json not null,
  -- Shows whether a report has anything new about it.
  detail_hash       text not null,
  -- What it replaced when it started, with one entry for each flow in which it replaced something.
  replaced          json not null,
  -- Null for unknown: no policy is attached.
  compliant         boolean,
  -- The basis of the verdict: flows, decisions of the policies, reasons.
  evaluation        json not null,
  flow_ids          uuid[] not null,
  repo_ids          uuid[] not null,
  -- The annotation for the next snapshot, and the number of instances in the newest one.
  annotation        text,
  was               integer not null,
  is_run_ahead      boolean not null,
  is_verdict_ahead  boolean not null,
  -- The leaf of a snapshot covers every running artifact. With these hashes of the report (fingerprint, name,
  -- instances) and of the evaluation, a snapshot of a large environment hashes only what changed
  -- (docs/adr/0029-a-log-nobody-can-rewrite.md). Null means not computed yet.
  detail_sha256     text,
  evaluation_sha256 text,
  primary key (org_id, environment_id, artifact_key),
  foreign key (org_id, environment_id) references environments (org_id, environment_id)
);
create index running_by_fingerprint on running_artifacts (org_id, fingerprint);
create index running_ahead on running_artifacts (org_id, environment_id)
  where is_run_ahead or is_verdict_ahead or annotation is not null;

-- A change that does not set the hash, for example by a version without hashes, must not leave a wrong one.
create function forget_detail_hash() returns trigger language plpgsql as $$
begin
  new.detail_sha256 := null;
  return new;
end $$;
create function forget_evaluation_hash() returns trigger language plpgsql as $$
begin
  new.evaluation_sha256 := null;
  return new;
end $$;
create trigger forget_detail_hash before update of fingerprint, name, instances on running_artifacts for each row
  when (new.detail_sha256 = old.detail_sha256) execute function forget_detail_hash();
create trigger forget_evaluation_hash before update of evaluation on running_artifacts for each row
  when (new.evaluation_sha256 = old.evaluation_sha256) execute function forget_evaluation_hash();

create policy own_org on running_artifacts to waybill_app using (org_id = app_org());
grant select, insert, update, delete on running_artifacts to waybill_app;

-- Other fingerprints of a running artifact, to find evidence about it (docs/adr/0037-times-of-clients.md).
create table running_alternates (
  org_id         uuid not null,
  environment_id uuid not null,
  artifact_key   text collate "C" not null,
  fingerprint    text collate "C" not null,
  primary key (org_id, environment_id, artifact_key, fingerprint),
  foreign key (org_id, environment_id, artifact_key)
    references running_artifacts (org_id, environment_id, artifact_key) on delete cascade
);
create index running_alternates_by_fingerprint on running_alternates (org_id, fingerprint);
create policy own_org on running_alternates to waybill_app using (org_id = app_org());
grant select, insert on running_alternates to waybill_app;

-- Pending evaluations: added by whatever may change a verdict, and taken by the transaction that evaluates, so that
-- nobody who reports evidence waits for an evaluation. Without a key, all artifacts running in the environment are
-- evaluated.
create table pending_judgements (
  org_id         uuid not null,
  mark_id        uuid not null default gen_random_uuid(),
  environment_id uuid not null,
  artifact_key   text collate "C",
  cause          text not null,
  actor          text not null,
  marked_at      timestamptz not null,
  primary key (org_id, mark_id),
  foreign key (org_id, environment_id) references environments (org_id, environment_id)
);
create index pending_of_environment on pending_judgements (org_id, environment_id);
create policy own_org_or_worker on pending_judgements to waybill_app using (org_id = app_org() or app_worker());
grant select, insert, delete on pending_judgements to waybill_app;

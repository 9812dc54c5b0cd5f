-- min-compatible: 0022
-- The leaf of a snapshot covers every artifact that runs. Their hashes are stored, so that a snapshot of a large environment
-- hashes only what changed (docs/adr/0029-a-log-nobody-can-rewrite.md). Null means that it must be computed.
alter table running_artifacts
  -- Of what was reported: fingerprint, name and instances.
  add detail_sha256 text,
  add evaluation_sha256 text;

-- A process of an earlier version changes a row without its hash.
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

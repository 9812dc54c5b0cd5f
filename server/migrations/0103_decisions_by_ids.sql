-- min-compatible: 0100
-- concurrently
create unique index concurrently decisions_open_by_ids on decisions (org_id, kind, md5(subject_ids::text))
  where closed_at is null;
create index concurrently decisions_by_result on decisions (org_id, result_id) where result_id is not null;

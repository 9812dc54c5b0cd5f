-- min-compatible: 0022
-- What a list of late reports shows, so that it reads no contents. Null in rows that an earlier version stored: those are read
-- from the content, which does not have the newest time and the sender.
alter table late_reports
  add column artifact_count int,
  add column reporter jsonb,
  add column missing jsonb,
  add column newest_at timestamptz,
  add column reported_by text;

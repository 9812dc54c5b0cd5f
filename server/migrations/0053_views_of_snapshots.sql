-- min-compatible: 0022
-- Of when the report is that a snapshot was taken for, and whether it was partial (docs/adr/0037-times-of-clients.md).
alter table snapshots
  add observed_at timestamptz,
  add is_partial boolean;

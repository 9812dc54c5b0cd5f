-- min-compatible: 0022
-- Reports that change nothing leave one event per hour (docs/adr/0029-a-log-nobody-can-rewrite.md).

alter table environments
  -- Reports since the last event that says that the environment was watched: how many, and since when.
  add unlogged_reports int not null default 0,
  add unlogged_since timestamptz,
  -- The report that the last such event was recorded with.
  add confirmed_at timestamptz;

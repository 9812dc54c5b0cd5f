-- min-compatible: 0022
-- What the newest report says about itself (docs/adr/0037-times-of-clients.md).
alter table environments
  -- Null if it states no time.
  add observed_at timestamptz,
  -- Its name, version and scope.
  add reporter jsonb,
  -- Of the first of the reports since which all are partial; null if the newest one is complete.
  add partial_since timestamptz,
  -- What could not be listed.
  add missing jsonb;

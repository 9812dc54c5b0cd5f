-- min-compatible: 0022
-- When the sender of a trail collected what it sent, and whether it had to keep it (docs/adr/0037-times-of-clients.md). Null if it
-- stated nothing.
alter table trails
  add collected_at timestamptz,
  add spooled boolean;

-- concurrently
-- min-compatible: 0022
-- Tells which states the builds of a large trail have, without reading them.
create index concurrently artifacts_current on artifacts (org_id, trail_id, state) where is_current;

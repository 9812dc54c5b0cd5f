-- concurrently
-- min-compatible: 0022
-- Half of the cost of an artifact that starts was entries in indexes that never find it: an open interval is in no node
-- of the tree, and a deployment without a flow fills no slot. These indexes leave such rows out.
create index concurrently runs_closed_by_end on runs (org_id, environment_id, node, to_index) where node is not null;
create index concurrently runs_closed_by_start on runs (org_id, environment_id, node, from_index) where node is not null;
create index concurrently verdicts_closed_by_end on verdicts (org_id, environment_id, node, to_index)
  where node is not null;
create index concurrently verdicts_closed_by_start on verdicts (org_id, environment_id, node, from_index)
  where node is not null;
create index concurrently verdicts_closed on verdicts (org_id, environment_id, artifact_key, to_index)
  where to_index is not null;
create index concurrently deployments_in_slot on deployments
  (org_id, environment_id, flow_id, template_reference_name, snapshot_index) where flow_id is not null;

drop index concurrently if exists runs_by_end;
drop index concurrently if exists runs_by_start;
drop index concurrently if exists verdicts_by_end;
drop index concurrently if exists verdicts_by_start;
drop index concurrently if exists verdicts_ended;
drop index concurrently if exists deployments_of_slot;
-- Open intervals are those of what runs now: runs_open and verdicts_open find all of them, and few began too late.
drop index concurrently if exists runs_open_since;
drop index concurrently if exists verdicts_open_since;

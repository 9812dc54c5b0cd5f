-- concurrently
-- min-compatible: 0022
-- Finds the newest trail of a repository, however many it has. It replaces the index without the order.
create index concurrently trails_of_repo_in_order on trail_repos (org_id, repo_id, trail_id);
drop index concurrently if exists trails_of_repo;

-- Repositories, as pipelines report them. The git host's own id tells them apart, because names change.

create table repos (
  org_id           uuid not null,
  repo_id          uuid not null,
  provider         text not null,
  external_id      text not null,
  name             text not null,
  url              text not null,
  description      text not null,
  namespace_path   jsonb not null,
  additional_info  jsonb not null,
  tags             jsonb not null default '{}',
  created_at       timestamptz not null,
  last_modified_at timestamptz not null,
  primary key (org_id, repo_id),
  unique (org_id, provider, external_id)
);
create index repos_by_name on repos (org_id, name);
create policy own_org on repos to waybill_app using (org_id = app_org());
grant select, insert, update on repos to waybill_app;

create table trail_repos (
  org_id   uuid not null,
  trail_id uuid not null,
  repo_id  uuid not null,
  primary key (org_id, trail_id, repo_id),
  foreign key (org_id, trail_id) references trails (org_id, trail_id),
  foreign key (org_id, repo_id) references repos (org_id, repo_id)
);
-- Finds the newest trail of a repository, however many it has.
create index trails_of_repo_in_order on trail_repos (org_id, repo_id, trail_id);
create policy own_org on trail_repos to waybill_app using (org_id = app_org());
grant select, insert on trail_repos to waybill_app;

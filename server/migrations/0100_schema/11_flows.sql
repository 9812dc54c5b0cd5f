-- Flows: the ways in which an organization builds and changes its software.

create table flows (
  org_id           uuid not null references orgs (org_id),
  flow_id          uuid not null,
  name             text not null,
  description      text not null,
  visibility       text not null check (visibility in ('public', 'private')),
  template_id      uuid not null,
  repo_url         text not null default '',
  tags             jsonb not null default '{}',
  approvals        integer not null default 0,
  created_by       text not null,
  created_at       timestamptz not null,
  last_modified_at timestamptz not null,
  archived_at      timestamptz,
  primary key (org_id, flow_id),
  unique (org_id, name),
  foreign key (org_id, template_id) references templates (org_id, template_id)
);
comment on column flows.approvals is 'The number of the newest approval.';
create index flows_of_template on flows (org_id, template_id);
create policy own_org on flows to waybill_app using (org_id = app_org());
grant select, insert, update on flows to waybill_app;

-- A renamed flow is still found by its former names until another flow takes them.
create table former_flow_names (
  org_id  uuid not null,
  name    text not null,
  flow_id uuid not null,
  primary key (org_id, name),
  foreign key (org_id, flow_id) references flows (org_id, flow_id)
);
create policy own_org on former_flow_names to waybill_app using (org_id = app_org());
grant select, insert, update, delete on former_flow_names to waybill_app;

-- The flow with this name, or else the one that had it last.
create function flow_named(wanted_org uuid, wanted_name text) returns uuid language sql stable parallel safe as $$
  select coalesce(
    (select f.flow_id from flows f
     where f.org_id = wanted_org and f.name = wanted_name and f.archived_at is null),
    (select f.flow_id from former_flow_names n join flows f on f.org_id = n.org_id and f.flow_id = n.flow_id
     where n.org_id = wanted_org and n.name = wanted_name and f.archived_at is null))
$$;

-- Like flow_named, or else an archived flow.
create function flow_meant(wanted_org uuid, wanted_name text) returns uuid language sql stable parallel safe as $$
  select coalesce(
    flow_named(wanted_org, wanted_name),
    (select f.flow_id from flows f where f.org_id = wanted_org and f.name = wanted_name),
    (select n.flow_id from former_flow_names n where n.org_id = wanted_org and n.name = wanted_name))
$$;

-- Templates: the evidence that the trails of a flow need. They are stored by content: a trail keeps the template
-- that it began with, whatever the flow has later.

create table templates (
  org_id         uuid not null references orgs (org_id),
  template_id    uuid not null,
  content_sha256 bytea not null,
  content        text not null,
  parsed         jsonb not null,
  -- The state of a trail with this template and no evidence, so that beginning a trail needs no second look-up.
  fresh_state    text not null check (fresh_state in ('COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE')),
  created_at     timestamptz not null,
  primary key (org_id, template_id),
  unique (org_id, content_sha256)
);
create policy own_org on templates to waybill_app using (org_id = app_org());
grant select, insert on templates to waybill_app;

-- One row per slot, so that a trail can be evaluated by a join. The slots of the trail itself have the artifact name ''.
create table template_slots (
  org_id        uuid not null,
  template_id   uuid not null,
  artifact_name text not null,
  name          text not null,
  type          text not null,
  primary key (org_id, template_id, artifact_name, name),
  foreign key (org_id, template_id) references templates (org_id, template_id)
);
create policy own_org on template_slots to waybill_app using (org_id = app_org());
grant select, insert on template_slots to waybill_app;

-- Nothing writes this table or calls the function type_fits. The table goes one release after organization exports
-- stop listing it.
create table template_artifacts (
  org_id      uuid not null,
  template_id uuid not null,
  name        text not null,
  primary key (org_id, template_id, name),
  foreign key (org_id, template_id) references templates (org_id, template_id)
);
create policy own_org on template_artifacts to waybill_app using (org_id = app_org());
grant select, insert on template_artifacts to waybill_app;

-- min-compatible: 0022
-- Organizations that a cell must not change while they are copied to another one (docs/adr/0026-cells.md). Every transaction looks
-- here when it sets its scope (db/database.ts) and is read-only if it finds its organization.
create table frozen_orgs (
  org_id      uuid primary key references orgs (org_id),
  frozen_at   timestamptz not null,
  reason      text not null,
  -- Background work has stopped, and requests still write: the jobs that run may finish.
  is_draining boolean not null,
  -- The cell that has it now; null while it is only frozen. Nothing of a moved organization can be read here.
  moved_to    text
);
alter table frozen_orgs enable row level security;
alter table frozen_orgs force row level security;
create policy own_org_or_worker on frozen_orgs for select to waybill_app using (org_id = app_org() or app_worker());
-- For the statements that record the use of a key.
create policy presented on frozen_orgs for select to waybill_app using (
  org_id in (select k.org_id from service_account_keys k where k.secret_hash = app_key())
  or org_id in (select k.org_id from ci_keys k where k.secret_hash = app_key())
  or org_id in (select t.org_id from scim_tokens t where t.secret_hash = app_key())
);
grant select on frozen_orgs to waybill_app;

-- Called by the statement that sets the scope.
create function refuse_moved_org() returns text language plpgsql as $$
begin
  raise exception 'the organization has moved to another cell' using errcode = 'WB001';
end $$;

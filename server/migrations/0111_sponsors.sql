-- min-compatible: 0100
-- Whose turns an organization takes, and who opened it, so that nobody gets more of a queue with more organizations
-- (docs/adr/0020-fair-between-organizations.md).

alter table orgs
  -- 'person:<id>', or 'domain:<mail domain>' of people for whom a directory or an identity provider answers. Null: the
  -- organization stands for itself, like those that the operator makes.
  add column sponsor text;
grant update (sponsor) on orgs to waybill_app;
-- Background work takes turns by sponsor.
create policy worker_looks on orgs for select to waybill_app using (app_worker());

-- Who opened a shared organization through the API: a person may open a limited number. Rows go with the organization.
create table org_openers (
  org_id  uuid primary key references orgs (org_id),
  user_id uuid not null references users (user_id)
);
create index org_openers_of_user on org_openers (user_id);
alter table org_openers enable row level security;
create policy own_org on org_openers to waybill_app using (org_id = app_org());
create policy recognised on org_openers for select to waybill_app using (user_id = app_user());
grant select, insert on org_openers to waybill_app;

-- Whoever opens an organization is its first member; those of the operator come from a script.
insert into org_openers (org_id, user_id)
select e.org_id, e.user_id from membership_events e join orgs o on o.org_id = e.org_id and o.kind = 'shared'
where e.event_no = 1 and e.source = 'app';
update orgs o set sponsor = 'person:' || p.user_id
from (
  select user_id, org_id from org_openers
  union all
  select m.user_id, m.org_id from memberships m join orgs g on g.org_id = m.org_id and g.kind = 'personal'
) p
where p.org_id = o.org_id;

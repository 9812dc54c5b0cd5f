-- min-compatible: 0100
-- Whose turns an organization takes, so that nobody gets more of a queue with more organizations
-- (docs/adr/0020-fair-between-organizations.md).

alter table orgs
  -- 'person:<id>', or 'domain:<mail domain>' of people for whom a directory or an identity provider answers. Null: the
  -- organization stands for itself, like those that the operator makes.
  add column sponsor text;
grant update (sponsor) on orgs to waybill_app;
-- Background work takes turns by sponsor.
create policy worker_looks on orgs for select to waybill_app using (app_worker());

-- Whoever opens an organization is its first member; those of the operator come from a script.
update orgs o set sponsor = 'person:' || p.user_id
from (
  select e.user_id, e.org_id from membership_events e join orgs g on g.org_id = e.org_id and g.kind = 'shared'
  where e.event_no = 1 and e.source = 'app'
  union all
  select m.user_id, m.org_id from memberships m join orgs g on g.org_id = m.org_id and g.kind = 'personal'
) p
where p.org_id = o.org_id;

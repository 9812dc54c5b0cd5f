-- What keys may do beside the role of their owner, who is responsible for service accounts, and CI rules by the id of a flow.

alter table personal_keys
  -- Families of operations; null for all.
  add operations text[],
  -- Addresses and CIDRs that it may be used from; null for any.
  add allowed_addresses text[],
  add last_used_from text;
alter table service_account_keys
  add operations text[],
  -- Only for these; null for all.
  add flow_ids uuid[],
  add environment_ids uuid[],
  add allowed_addresses text[],
  add last_used_from text;
alter table ci_keys add last_used_from text;

alter table service_accounts
  -- The person who is responsible for it; null for the organization itself.
  add owner_user_id uuid references users (user_id),
  -- As they are called: an organization does not see people who have left.
  add owner_name text,
  -- Set when the owner leaves, until an admin decides.
  add keys_stop_at timestamptz;
update service_accounts a set owner_user_id = u.user_id, owner_name = u.name
from users u where u.user_id = a.creating_user_id;
create index service_accounts_of_owner on service_accounts (org_id, owner_user_id) where owner_user_id is not null;
-- Accounts of people who have left already: their keys stop as if they left today.
update service_accounts a set keys_stop_at = now() + interval '7 days'
where a.owner_user_id is not null and a.deleted_at is null
  and not exists (select from memberships m where m.org_id = a.org_id and m.user_id = a.owner_user_id);

alter table trust_rules
  add operations text[] not null default '{read,report,attest}',
  add flow_id uuid;
update trust_rules r set flow_id = flow_meant(r.org_id, r.flow_name) where r.flow_name is not null;
-- A rule for a flow that does not exist gives keys for nothing.
update trust_rules set deleted_at = now() where flow_name is not null and flow_id is null and deleted_at is null;
alter table trust_rules drop column flow_name;
alter table trust_rules add foreign key (org_id, flow_id) references flows (org_id, flow_id);

create index service_accounts_stopping on service_accounts (keys_stop_at) where keys_stop_at is not null;
-- As with keys that expire: the worker finds them, and writes under the organization they are of.
create policy worker_looks on service_accounts for select to waybill_app using (app_worker());
grant update (last_used_from) on personal_keys, service_account_keys to waybill_app;
grant update (owner_user_id, owner_name, keys_stop_at) on service_accounts to waybill_app;

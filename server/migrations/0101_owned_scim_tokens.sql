-- min-compatible: 0100
-- Credentials act with the present role of the person behind them: SCIM tokens get an owner, like service accounts.

alter table scim_tokens
  -- Who answers for it: a person or a service account; neither if the organization does.
  add column owner_user_id uuid references users (user_id),
  add column owner_account_id uuid,
  -- That owner's name, because an organization does not see people who have left.
  add column owner_name text,
  -- Addresses and CIDR ranges that it may be used from; null for any.
  add column allowed_addresses text[],
  add constraint scim_tokens_owner_account foreign key (org_id, owner_account_id)
    references service_accounts (org_id, service_account_id);

-- Whoever made a token answers for it. A service account may have the name of a person: then nobody can tell.
update scim_tokens t set owner_user_id = u.user_id, owner_name = u.name
from users u
where u.name = t.created_by
  and exists (select from membership_events e where e.org_id = t.org_id and e.user_id = u.user_id)
  and not exists (select from service_accounts a where a.org_id = t.org_id and a.name = t.created_by);

-- A key of a service account shows the role of the account's owner in its organization.
create policy owner_of_presented_account on memberships for select to waybill_app using (
  (org_id, user_id) in (
    select a.org_id, a.owner_user_id from service_accounts a
    join service_account_keys k on k.org_id = a.org_id and k.service_account_id = a.service_account_id
    where k.secret_hash = app_key()
  )
);

-- With another owner, an account may act with another role.
create trigger notify_owner_change
  after update of owner_user_id on service_accounts
  for each row execute function notify_caller_change('service_account_id');

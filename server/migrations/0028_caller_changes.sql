-- min-compatible: 0022
-- Notifies every process when what it may have cached of a caller changes, whoever changes it: an operation of another
-- process, the admin program or SQL by hand. The payload is the id of the user, service account, trust rule or
-- organization; db/caller-changes.ts listens.

create function notify_caller_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('caller_changes', to_jsonb(case tg_op when 'DELETE' then old else new end) ->> tg_argv[0]);
  return null;
end $$;

-- Columns that only record a use are not listed: they change all the time and mean nothing.
create trigger notify_caller_change
  after delete or update of user_id, secret_hash, expires_at, revoked_at, operations, allowed_addresses on personal_keys
  for each row execute function notify_caller_change('user_id');
create trigger notify_caller_change
  after delete or update of service_account_id, secret_hash, expires_at, revoked_at, operations, flow_ids,
    environment_ids, allowed_addresses on service_account_keys
  for each row execute function notify_caller_change('service_account_id');
create trigger notify_caller_change
  after delete or update of name, privilege, deleted_at, keys_stop_at on service_accounts
  for each row execute function notify_caller_change('service_account_id');
create trigger notify_caller_change
  after delete or update of rule_id, secret_hash, expires_at on ci_keys
  for each row execute function notify_caller_change('rule_id');
create trigger notify_caller_change
  after delete or update of name, privilege, operations, flow_id, deleted_at on trust_rules
  for each row execute function notify_caller_change('rule_id');
create trigger notify_caller_change
  after delete or update of user_id, secret_hash, method, expires_at, ended_at on sessions
  for each row execute function notify_caller_change('user_id');
create trigger notify_caller_change
  after delete or update of name, default_org_id, deactivated_at on users
  for each row execute function notify_caller_change('user_id');
create trigger notify_caller_change
  after insert or delete or update on memberships
  for each row execute function notify_caller_change('user_id');
create trigger notify_caller_change
  after delete or update of name, features, settings, quotas, delete_requested_at on orgs
  for each row execute function notify_caller_change('org_id');

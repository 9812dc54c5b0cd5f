-- min-compatible: 0022
-- An organization can open its log to everybody: its name must then be found without credentials.
create policy public_log on orgs for select to waybill_app using (
  coalesce((settings ->> 'public_log')::boolean, false)
);

-- min-compatible: 0022
-- An organization can open its log to everybody: its name must then be found without credentials. Compared as a text, because
-- PostgreSQL would expect every second organization to have a setting that it reads as a boolean.
create policy public_log on orgs for select to waybill_app using (settings ->> 'public_log' = 'true');

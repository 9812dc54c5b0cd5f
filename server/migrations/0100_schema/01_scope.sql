-- The schema of an empty database, in a file per noun. Migrations 0001 to 0082 led here before the first release;
-- db/pre-release.ts recognizes a database that has them.
--
-- Rules for every table, which server/test/catalogue.test.ts checks:
--   org_id leads every primary key, unique index and foreign key. The exceptions are needed before any organization is known.
--   Row-level security is enabled and forced: db/migrate.ts does it for all tables, and gives the owner a policy of its own.
--   The application role, waybill_app, owns nothing and has only the privileges granted beside the table.
--
-- A lookup under row-level security cannot use an index on an expression that might leak a row, such as lower(email).
-- Such expressions are therefore generated columns.

-- Functions and policies may use tables of later files. PostgreSQL checks policies at once, so
-- db/migration-files.ts puts them last.
set local check_function_bodies = off;

-- The scope of a transaction: db/scope.ts sets it, and the policies read it. Outside of any scope nothing is visible.

create function app_org() returns uuid language sql stable parallel safe
  as $$ select nullif(current_setting('app.org', true), '')::uuid $$;

-- The hash of the key that a caller presents: rows of that key are visible while the caller is authenticated.
create function app_key() returns bytea language sql stable parallel safe
  as $$ select decode(nullif(current_setting('app.key', true), ''), 'hex') $$;

-- Set in background work, which finds jobs across organizations and then does each within its organization.
create function app_worker() returns boolean language sql stable parallel safe
  as $$ select coalesce(current_setting('app.worker', true), '') <> '' $$;

-- The authenticated person, whose own rows are visible in every organization.
create function app_user() returns uuid language sql stable parallel safe
  as $$ select nullif(current_setting('app.person', true), '')::uuid $$;

-- Set only while somebody signs in or is provisioned: opens only the identity tables.
create function app_signin() returns boolean language sql stable parallel safe
  as $$ select coalesce(current_setting('app.signin', true), '') <> '' $$;

-- Notifies every process when cached data about a caller may have changed, whoever changed it: another process, the
-- admin program or SQL by hand. The payload is the id in the named column; db/caller-changes.ts listens. The
-- triggers leave out columns that only record a use: those change all the time.
create function notify_caller_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('caller_changes', to_jsonb(case tg_op when 'DELETE' then old else new end) ->> tg_argv[0]);
  return null;
end $$;

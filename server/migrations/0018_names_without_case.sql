-- Names of organizations and people are unique without regard to case. Those that differ in case only from before this
-- migration all keep their names, because links and pipelines have them: the oldest takes the name, and the others get
-- a suffix that no name can have, so that nothing stands in the way of the index and nobody else can come beside them.
alter table orgs add name_clash text not null default '';
alter table users add name_clash text not null default '';

update orgs o set name_clash = '/' || o.org_id
where exists (select from orgs before where lower(before.name) = lower(o.name)
  and (before.created_at, before.org_id) < (o.created_at, o.org_id));
update users u set name_clash = '/' || u.user_id
where exists (select from users before where lower(before.name) = lower(u.name)
  and (before.created_at, before.user_id) < (u.created_at, u.user_id));

alter table orgs add name_key text collate "C" not null generated always as (lower(name) || name_clash) stored;
alter table users add name_key text collate "C" not null generated always as (lower(name) || name_clash) stored;
create unique index orgs_name_without_case on orgs (name_key);
create unique index users_name_without_case on users (name_key);

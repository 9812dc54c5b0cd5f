-- How many mails people made an org send, each count since the moment it began: together, by whom, and to whom.
create table sending_counts (
  org_id   uuid not null references orgs (org_id),
  what     text not null check (what in ('test', 'invitation')),
  -- 'org', 'caller:<id>' or 'address:<SHA-256 of the address>'
  who      text not null,
  began_at timestamptz not null,
  used     integer not null,
  primary key (org_id, what, who)
);

create policy own_org on sending_counts to waybill_app using (org_id = app_org());
grant select, insert, update, delete on sending_counts to waybill_app;

-- Whom a directory may speak for: the mail domains that an organization has proved, and provisioned users who have not
-- joined yet.

create table mail_domains (
  org_id       uuid not null references orgs (org_id),
  domain       text collate "C" not null,
  -- What the TXT record must hold. Each organization has its own, so that one record proves nothing for another.
  challenge    text not null,
  created_by   text not null,
  created_at   timestamptz not null,
  checked_at   timestamptz,
  -- Why the latest check did not find the record; null when it did.
  problem      text,
  -- The latest check that found the record.
  confirmed_at timestamptz,
  proved_at    timestamptz,
  primary key (org_id, domain)
);
-- A domain belongs to one organization at a time.
create unique index mail_domains_proved on mail_domains (domain) where proved_at is not null;
create index mail_domains_due on mail_domains (checked_at) where proved_at is not null;

alter table scim_users
  -- Null while the person has not joined: the organization has not proved the domain and nobody accepted the invitation.
  alter user_id drop not null,
  -- What the directory says, for this organization only.
  add email text,
  add display_name text,
  add email_key text collate "C" generated always as (lower(email)) stored;
update scim_users s set email = u.email, display_name = u.display_name from users u where u.user_id = s.user_id;
create unique index scim_users_by_address on scim_users (org_id, email_key) where email_key is not null;

-- The provisioned user for whom a directory sent the invitation.
alter table invitations add scim_id uuid;
alter table invitations add foreign key (org_id, scim_id) references scim_users (org_id, scim_id)
  on delete set null (scim_id);
create index invitations_of_provisioned on invitations (org_id, scim_id) where scim_id is not null;

alter table mail_domains enable row level security;
alter table mail_domains force row level security;
create policy own_org on mail_domains to waybill_app using (org_id = app_org());
-- Who has proved a domain is looked up across organizations when another one claims it.
create policy signing_in_looks on mail_domains for select to waybill_app using (app_signin());
create policy worker_looks on mail_domains for select to waybill_app using (app_worker());
grant select, insert, delete on mail_domains to waybill_app;
grant update (checked_at, problem, confirmed_at, proved_at) on mail_domains to waybill_app;

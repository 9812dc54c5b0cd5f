-- Invitations to an organization. The link in the mail has a token; only its hash is stored.

create table invitations (
  org_id        uuid not null references orgs (org_id),
  invitation_id uuid not null,
  email         text not null,
  email_key     text collate "C" not null generated always as (lower(email)) stored,
  role          text not null check (role in ('admin', 'member', 'snapshotter', 'auditor', 'reader')),
  -- Each mail has a new token, which replaces the previous one.
  token_hash    bytea not null,
  -- The provisioned user for whom a directory sent the invitation.
  scim_id       uuid,
  invited_by    text not null,
  created_at    timestamptz not null,
  sent_at       timestamptz not null,
  expires_at    timestamptz not null,
  accepted_at   timestamptz,
  accepted_by   uuid references users (user_id),
  withdrawn_at  timestamptz,
  primary key (org_id, invitation_id),
  unique (org_id, token_hash),
  foreign key (org_id, scim_id) references scim_users (org_id, scim_id) on delete set null (scim_id)
);
create unique index invitations_open on invitations (org_id, email_key)
  where accepted_at is null and withdrawn_at is null;
create index invitations_by_token on invitations (token_hash);
create index invitations_of_provisioned on invitations (org_id, scim_id) where scim_id is not null;
create policy own_org_or_presented on invitations to waybill_app using (
  org_id = app_org() or token_hash = app_key()
);
grant select, insert, update on invitations to waybill_app;

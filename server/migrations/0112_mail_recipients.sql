-- min-compatible: 0100
-- How much mail organizations have sent to an address, what is held back for its daily digest, and whether whoever
-- reads it has stopped all of it. These tables belong to no organization: an address is limited across all of them.

create table mail_recipients (
  -- The HMAC-SHA256 of the address in lower case, under a key of the installation.
  address_hash bytea primary key,
  -- Since when mails are counted.
  began_at     timestamptz not null,
  -- Mails of organizations that the recipient belongs to, and of all others.
  from_own     integer not null default 0,
  from_others  integer not null default 0,
  -- When the digest of what is held back is due.
  digest_at    timestamptz,
  -- Since when no organization may send mail there.
  stopped_at   timestamptz
);
create index mail_recipients_digest on mail_recipients (digest_at) where digest_at is not null;
create index mail_recipients_idle on mail_recipients (began_at) where stopped_at is null and digest_at is null;
alter table mail_recipients enable row level security;
create policy sending_or_presented on mail_recipients to waybill_app using (app_worker() or address_hash = app_key());
grant select, insert, delete, update (began_at, from_own, from_others, digest_at, stopped_at)
  on mail_recipients to waybill_app;

-- The lines of a digest. The last place of an organization counts what is not listed.
create table held_mails (
  address_hash bytea not null references mail_recipients (address_hash) on delete cascade,
  -- The organization. No reference: it may move or be purged before the digest is due.
  sender_id    uuid not null,
  place        integer not null,
  messages     integer not null,
  -- The address, the name of the organization, the subject and a link.
  sealed       text not null,
  primary key (address_hash, sender_id, place)
);
alter table held_mails enable row level security;
create policy sending_or_presented on held_mails to waybill_app using (app_worker() or address_hash = app_key());
grant select, insert, delete, update (messages) on held_mails to waybill_app;

alter table outbox
  -- Why a finished message was not sent: its recipient stopped all mail, or it is held back for the digest.
  add column suppressed text;

-- How people sign in: identities at providers, browser sessions, attempts in progress, links, and address proofs.

-- A person as an identity provider knows them. Never by mail address alone: addresses change hands.
create table identities (
  issuer       text not null,
  subject      text not null,
  user_id      uuid not null references users (user_id),
  created_at   timestamptz not null,
  last_seen_at timestamptz not null,
  primary key (issuer, subject)
);
create index identities_of_user on identities (user_id);
create policy signing_in_or_recognised on identities to waybill_app using (app_signin() or user_id = app_user());
grant select, insert, update on identities to waybill_app;

create table sessions (
  session_id   uuid primary key,
  user_id      uuid not null references users (user_id),
  secret_hash  bytea not null unique,
  -- How the person signed in: sso, link or first-run.
  method       text not null,
  user_agent   text not null,
  -- The browser, identified by its cookie.
  browser_hash bytea,
  -- The network address from which the person signed in.
  address      text,
  created_at   timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at   timestamptz not null,
  ended_at     timestamptz
);
create index sessions_of_user on sessions (user_id, created_at);

create trigger notify_caller_change
  after delete or update of user_id, secret_hash, method, expires_at, ended_at on sessions
  for each row execute function notify_caller_change('user_id');

create policy presented_or_recognised on sessions to waybill_app using (
  secret_hash = app_key() or user_id = app_user() or app_signin()
);
grant select, insert, update on sessions to waybill_app;

-- A sign-in in progress at an identity provider, taken once when the browser comes back.
create table sign_in_attempts (
  state_hash   bytea primary key,
  browser_hash bytea not null,
  provider     text not null,
  -- Nonce and PKCE verifier, sealed.
  sealed       text not null,
  next_path    text not null,
  created_at   timestamptz not null,
  expires_at   timestamptz not null
);
create policy signing_in on sign_in_attempts to waybill_app using (app_signin());
grant select, insert, delete on sign_in_attempts to waybill_app;

-- A link that signs in once: mailed, or printed at the first start.
create table sign_in_links (
  token_hash   bytea primary key,
  user_id      uuid not null references users (user_id),
  -- The browser that requested it; null if the link was handed over directly.
  browser_hash bytea,
  method       text not null check (method in ('link', 'first-run')),
  -- The network that requested it, so that strangers cannot use up a person's requests; null for a browser in which
  -- the person has signed in before.
  asker        text,
  -- The address that it was mailed to, in lower case: the link becomes void when the person's address changes.
  sent_to      text collate "C",
  next_path    text not null,
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  redeemed_at  timestamptz
);
create index sign_in_links_of_user on sign_in_links (user_id, created_at);
create policy signing_in on sign_in_links to waybill_app using (app_signin());
grant select, insert, update on sign_in_links to waybill_app;

-- A link that proves that a person owns a mail address (docs/adr/0060-proving-an-address.md).
create table address_proofs (
  token_hash bytea primary key,
  user_id    uuid not null references users (user_id),
  email      text not null,
  email_key  text collate "C" not null generated always as (lower(email)) stored,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Used, or replaced by a later request.
  ended_at   timestamptz
);
create index address_proofs_of_user on address_proofs (user_id, created_at);
create index address_proofs_to_address on address_proofs (email_key, created_at);
create policy signing_in_or_recognised on address_proofs to waybill_app using (app_signin() or user_id = app_user());
grant select, insert, update (ended_at) on address_proofs to waybill_app;

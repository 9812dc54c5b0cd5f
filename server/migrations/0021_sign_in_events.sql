-- What the events of signing in need.

-- Where a session was made from.
alter table sessions add address text;

-- Failed sign-ins of an hour are counted before one more is recorded.
create index events_of_failed_sign_ins on events (org_id, happened_at) where kind = 'sign_in_failed';

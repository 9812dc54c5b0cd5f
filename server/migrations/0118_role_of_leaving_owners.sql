-- min-compatible: 0100
-- An account whose owner has left may do no more than before: what the owner could do then is kept. Null if nobody has
-- left, or left before this was recorded.
alter table service_accounts add column owner_left_as text;
grant update (owner_left_as) on service_accounts to waybill_app;

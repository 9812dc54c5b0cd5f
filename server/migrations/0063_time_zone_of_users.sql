-- min-compatible: 0022
-- How a person wants to see times: in the time zone of their browser (the default) or in UTC.
alter table users add column time_zone text
  constraint users_time_zone_check check (time_zone in ('local', 'utc'));
grant update (time_zone) on users to waybill_app;

-- The word an existing client sent for a type of ours, null when it was ours. It is answered in `type`, because such a
-- client compares what it reads with what it wrote.
alter table environments add client_type text;
alter table notification_targets add client_type text;

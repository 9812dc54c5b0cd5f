-- min-compatible: 0100
-- What became of the newest mail of an invitation: 'sent', 'held' or 'stopped'; null while it waits.

alter table invitations add column mail text;

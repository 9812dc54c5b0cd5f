-- min-compatible: 0022
-- A decision that expires is a cause of a snapshot, which says which decisions those were (docs/adr/0063-decisions-expire.md).
-- Not validated: every row has met the narrower rule before, and looking at all of them would block reports.
alter table snapshots drop constraint snapshots_cause_check;
alter table snapshots add constraint snapshots_cause_check
  check (cause in ('report', 'evidence', 'policies', 'allow-list', 'members', 'expired-decision')) not valid;
alter table snapshots add expired_decisions jsonb;

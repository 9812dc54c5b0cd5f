-- min-compatible: 0100
-- What a decision that needs two persons is about, by ids, and what it was based on when the first person asked for it.

alter table decisions
  -- The ids of what the subject names, and the other values that a second request must have. Null in decisions of
  -- earlier versions.
  add subject_ids jsonb,
  add basis jsonb,
  -- Why a decision lapsed, and the lapsed decision that this one replaces.
  add lapse_reason text,
  add replaces uuid,
  -- The allow-list entry or attestation that it led to.
  add result_id uuid,
  drop constraint decisions_outcome_check,
  add constraint decisions_outcome_check check (outcome in ('confirmed', 'withdrawn', 'lapsed')) not valid;
alter table decisions validate constraint decisions_outcome_check;
grant update (lapse_reason, result_id) on decisions to waybill_app;

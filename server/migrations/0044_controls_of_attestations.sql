-- concurrently
-- min-compatible: 0022
-- An evaluation asks thousands of attestations for their control, and few have one.
create index concurrently attestations_with_control on attestations (org_id, attestation_id) include (control)
  where control is not null;

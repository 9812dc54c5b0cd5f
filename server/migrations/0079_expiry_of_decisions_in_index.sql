-- concurrently
-- min-compatible: 0022
-- An evaluation asks for the expiry of decisions together with their controls. It replaces the index without the expiry.
create index concurrently attestations_on_controls on attestations (org_id, attestation_id) include (control, expires_at)
  where control is not null;
drop index concurrently if exists attestations_with_control;

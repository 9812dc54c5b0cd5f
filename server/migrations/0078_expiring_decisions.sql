-- min-compatible: 0022
-- Decisions on controls may expire (docs/adr/0063-decisions-expire.md).
alter table attestations add expires_at timestamptz;

-- The decisions whose expiry lies ahead, or has not been handled yet. Who handles it deletes the row in the transaction that
-- records the event and requests the evaluations.
create table expiring_decisions (
  org_id         uuid not null,
  attestation_id uuid not null,
  expires_at     timestamptz not null,
  primary key (org_id, attestation_id),
  foreign key (org_id, attestation_id) references attestations (org_id, attestation_id) on delete cascade
);
create index expiring_decisions_by_time on expiring_decisions (expires_at);
create index expiring_decisions_of_org on expiring_decisions (org_id, expires_at);

alter table expiring_decisions enable row level security;
alter table expiring_decisions force row level security;
create policy own_org_or_worker on expiring_decisions to waybill_app using (org_id = app_org() or app_worker());
grant select, insert, delete on expiring_decisions to waybill_app;

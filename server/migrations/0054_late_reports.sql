-- min-compatible: 0022
-- Reports that were older than the newest one of their environment when they arrived (docs/adr/0037-times-of-clients.md).
create table late_reports (
  org_id         uuid not null,
  late_report_id uuid not null,
  environment_id uuid not null,
  observed_at    timestamptz not null,
  received_at    timestamptz not null,
  report_sha256  text not null,
  -- The artifacts with their instances, and what the report says about itself. The leaf of its event has a hash of this text.
  content        json not null,
  primary key (org_id, late_report_id),
  unique (org_id, environment_id, observed_at, report_sha256),
  foreign key (org_id, environment_id) references environments (org_id, environment_id)
);

alter table late_reports enable row level security;
alter table late_reports force row level security;
create policy own_org on late_reports to waybill_app using (org_id = app_org());
grant select, insert on late_reports to waybill_app;

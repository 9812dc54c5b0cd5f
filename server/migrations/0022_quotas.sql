-- What one organization may use, as the operator set it, and how many bytes of evidence it has stored.

-- Only what differs from the settings of the installation; null is no quota. The application reads it and cannot change it.
alter table orgs add quotas jsonb not null default '{}';

create table org_usage (
  org_id         uuid primary key references orgs (org_id),
  -- Of the attachments that attestations name, each content once.
  evidence_bytes bigint not null default 0
);
insert into org_usage (org_id, evidence_bytes)
  select org_id, sum(bytes) from (
    select distinct on (org_id, evidence_sha256) org_id, coalesce(evidence_bytes, 0) as bytes
    from attestations where evidence_sha256 is not null
  ) stored group by org_id;

alter table org_usage enable row level security;
alter table org_usage force row level security;
create policy own_org on org_usage to waybill_app using (org_id = app_org());
grant select, insert, update on org_usage to waybill_app;

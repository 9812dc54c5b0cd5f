-- min-compatible: 0022
-- The files of an attestation, in the order in which they were sent (docs/adr/0044-several-files.md). The columns of the
-- attestation still name the first one: earlier versions write and read only those, so an attestation may have no row here.
create table attestation_files (
  org_id           uuid not null,
  attestation_id   uuid not null,
  position         int not null,
  name             text not null,
  media_type       text not null,
  -- The content, after decompression if it was sent compressed.
  bytes            bigint not null,
  sha256           text not null,
  content_encoding text,
  -- The object in the evidence store: the bytes as they were sent.
  stored_bytes     bigint not null,
  stored_sha256    text not null,
  primary key (org_id, attestation_id, position),
  foreign key (org_id, attestation_id) references attestations (org_id, attestation_id) on delete cascade
);
create index attestation_files_by_object on attestation_files (org_id, stored_sha256);

alter table attestation_files enable row level security;
alter table attestation_files force row level security;
create policy own_org on attestation_files to waybill_app using (org_id = app_org());
-- As in 0047, the application may erase and nothing else: only the files of an attestation that is erased.
create policy only_erase on attestation_files as restrictive for delete to waybill_app
  using (exists (
    select from attestations a
    where a.org_id = attestation_files.org_id and a.attestation_id = attestation_files.attestation_id
      and a.reported_by = 'erased'
  ));
grant select, insert, delete on attestation_files to waybill_app;

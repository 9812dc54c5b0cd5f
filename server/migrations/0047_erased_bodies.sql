-- min-compatible: 0022
-- What an event says can be erased, and nothing of it can be rewritten (docs/adr/0034-erasure-and-history.md). The application
-- may update these columns only, and only to the values of an erased row. These policies are restrictive: they hold beside
-- the ones that say which organization a row belongs to.

-- The event of the erasure comes first, and names the event that is erased.
create policy only_erase on events as restrictive for update to waybill_app
  using (salt is not null)
  with check (
    actor = 'erased' and request_id = 'erased' and caller is null and parts is null and salt is null
    and data = jsonb_build_object('erased_by', data -> 'erased_by')
    and exists (
      select from events e
      where e.org_id = events.org_id and e.event_id = ((events.data ->> 'erased_by') || '0000')::uuid
        and e.kind = 'body_erased' and e.data ->> 'event' = left(events.event_id::text, 32))
  );
grant update (actor, request_id, data, caller, parts, salt) on events to waybill_app;

-- The type that an override stands in for decides which slot it fills, and says nothing about a person.
create policy only_erase on attestations as restrictive for update to waybill_app
  using (reported_by <> 'erased')
  with check (
    reported_by = 'erased' and evidence_sha256 is null and evidence_name is null and evidence_bytes is null
    and report::jsonb - 'original_attestation_type' = '{}'
  );
grant update (report, reported_by, evidence_sha256, evidence_name, evidence_bytes) on attestations to waybill_app;

create policy only_erase on artifact_reports as restrictive for update to waybill_app
  using (reported_by <> 'erased')
  with check (reported_by = 'erased' and report::jsonb = '{"build_url": "", "commit_url": ""}');
grant update (report, reported_by) on artifact_reports to waybill_app;

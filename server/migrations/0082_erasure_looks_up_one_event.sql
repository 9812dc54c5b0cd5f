-- min-compatible: 0022
-- The same rule as in 0047. Under row-level security, PostgreSQL 15.20 and its siblings look up an id in an index only if it
-- is computed before the condition, and would read all events of the organization (docs/adr/0028-statements-declare-bounds.md).
alter policy only_erase on events
  with check (
    actor = 'erased' and request_id = 'erased' and caller is null and parts is null and salt is null
    and data = jsonb_build_object('erased_by', data -> 'erased_by')
    and exists (
      select from events e
      where e.org_id = events.org_id and e.event_id = (select ((events.data ->> 'erased_by') || '0000')::uuid)
        and e.kind = 'body_erased' and e.data ->> 'event' = left(events.event_id::text, 32))
  );

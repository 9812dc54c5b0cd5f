-- Types that the service itself defines are written by their word and stored with a prefix
-- (server/src/domain/attestation/types.ts says the same).
create function stored_type(written text) returns text language sql immutable parallel safe as $$
  select case when written in ('decision', 'sbom') then 'system:' || written else written end
$$;

create or replace function type_fits(slot_type text, evidence_type text) returns boolean
  language sql immutable parallel safe as $$
  select slot_type = '*' or slot_type = evidence_type or stored_type(slot_type) = evidence_type
$$;

-- min-compatible: 0022
-- What kind of issuer a trust rule names, which decides the claim that pins it; null in rules of versions that knew no
-- kinds. The public keys of issuers that the service cannot reach.
alter table trust_rules add column issuer_kind text;
alter table trust_rules add column jwks jsonb;

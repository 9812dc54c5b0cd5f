-- Trails: one run of a flow each, with the state that follows from its evidence.

-- The tables that grow fastest name their organization only through their parent: with a foreign key to orgs, every insert
-- would lock the same row.
create table trails (
  org_id           uuid not null,
  -- A UUIDv7: its order is the order of creation, so "newest first" needs no second column.
  trail_id         uuid not null,
  flow_id          uuid not null,
  name             text not null,
  description      text not null,
  template_id      uuid not null,
  git_commit_info  jsonb,
  -- In byte order, because commits are looked up by prefix.
  git_commit       text collate "C" generated always as (git_commit_info ->> 'sha1') stored,
  repo_info        jsonb,
  origin_url       text,
  -- json and not jsonb, because they are returned as they were sent.
  external_urls    json,
  user_data        json,
  -- When the sender collected its data, and whether it had to keep the data for a while; null if it stated nothing
  -- (docs/adr/0037-times-of-clients.md).
  collected_at     timestamptz,
  spooled          boolean,
  compliance_state text not null check (compliance_state in ('COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE')),
  evaluated_at     timestamptz not null,
  created_by       text not null,
  created_at       timestamptz not null,
  last_modified_at timestamptz not null,
  primary key (org_id, trail_id),
  unique (org_id, flow_id, name),
  foreign key (org_id, flow_id) references flows (org_id, flow_id),
  foreign key (org_id, template_id) references templates (org_id, template_id)
);
create index trails_of_flow_newest_first on trails (org_id, flow_id, trail_id desc);
-- Finds rare states without reading all other trails.
create index trails_by_state on trails (org_id, compliance_state, trail_id desc);
create index trails_of_commit on trails (org_id, git_commit) where git_commit is not null;
create index trails_of_template on trails (org_id, template_id);
create policy own_org on trails to waybill_app using (org_id = app_org());
grant select, insert, update on trails to waybill_app;

-- The texts by which a name is found: the name itself, and its rest from each word on, in lower case. For
-- 'Release-2026.1' these are 'release-2026.1', '2026.1' and '1'. At most 24 words of 200 characters: as many as a
-- sensible name has, and as long as a search text can be. The name is split once, where a letter or digit follows
-- anything else: searching for each word anew takes five times as long. docs/adr/0016-names-by-their-words.md has
-- the reasons.
create function name_words(name text) returns setof text language sql immutable parallel safe as $$
  select distinct lower(substr(name, 1 + (sum(length(piece)) over (order by nth))::int - length(piece), 200))
  from regexp_split_to_table(name, '(?<=[^[:alnum:]])(?=[[:alnum:]])') with ordinality as pieces(piece, nth)
  where nth <= 24
$$;

-- The start of the words that contain a part of a name: the part from its first letter or digit on.
create function sought_word(part text) returns text language sql immutable parallel safe as $$
  select lower(coalesce(substring(part from '[[:alnum:]].*'), part))
$$;

-- No foreign key: the statement that stores a name stores its words, and checking each word would cost more than
-- the word. The flow is included, so that it need not be looked up for every trail found.
create table trail_words (
  org_id   uuid not null,
  word     text collate "C" not null,
  trail_id uuid not null,
  flow_id  uuid not null,
  primary key (org_id, word, trail_id) include (flow_id)
);
create policy own_org on trail_words to waybill_app using (org_id = app_org());
grant select, insert on trail_words to waybill_app;

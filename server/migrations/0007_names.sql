-- Finding trails and artifacts by a part of their name: where each word of a name begins, in an order that can be searched.

-- What a name can be found by: from its beginning and from the beginning of each word in it, in small letters. Of
-- 'Release-2026.1' that is 'release-2026.1', '2026.1' and '1'. No more words than a name of any sense has; each is as long
-- as the longest part that can be asked for. Cut once, where a letter or digit follows anything else: to look for each word
-- anew takes five times as long.
create function name_words(name text) returns setof text language sql immutable parallel safe as $$
  select distinct lower(substr(name, 1 + (sum(length(piece)) over (order by nth))::int - length(piece), 200))
  from regexp_split_to_table(name, '(?<=[^[:alnum:]])(?=[[:alnum:]])') with ordinality as pieces(piece, nth)
  where nth <= 24
$$;

-- How such a word begins when a part is asked for: with its first letter or digit.
create function sought_word(part text) returns text language sql immutable parallel safe as $$
  select lower(coalesce(substring(part from '[[:alnum:]].*'), part))
$$;

-- They have no key to what they are of: the statement that stores a name stores its words, and a look at the other table for
-- each word would cost more than the word. With the flow, so that it need not be looked up for everything that is found.
-- Filled first: keys are made faster afterwards.
create table trail_words (
  org_id   uuid not null,
  word     text collate "C" not null,
  trail_id uuid not null,
  flow_id  uuid not null
);
insert into trail_words (org_id, word, trail_id, flow_id)
select t.org_id, w.word, t.trail_id, t.flow_id from trails t, name_words(t.name) as w(word);
alter table trail_words add primary key (org_id, word, trail_id) include (flow_id);

-- Words of a former file name stay.
create table artifact_words (
  org_id      uuid not null,
  word        text collate "C" not null,
  artifact_id uuid not null,
  flow_id     uuid not null
);
insert into artifact_words (org_id, word, artifact_id, flow_id)
select a.org_id, w.word, a.artifact_id, a.flow_id from artifacts a, name_words(a.filename) as w(word);
alter table artifact_words add primary key (org_id, word, artifact_id) include (flow_id);

create policy own_org on trail_words to waybill_app using (org_id = app_org());
create policy own_org on artifact_words to waybill_app using (org_id = app_org());
grant select, insert on trail_words, artifact_words to waybill_app;

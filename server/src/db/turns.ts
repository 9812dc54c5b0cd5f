// Puts work of all organizations into the order in which it gets its turn: first one row of each sponsor, then the next of
// each; and the organizations of a sponsor alternate within its rows (docs/adr/0020-fair-between-organizations.md).

/** Who stands behind an organization: the key by which turns are shared. A subselect, so that only these are read. */
export const selectSponsor = (org_id: string): string =>
  `coalesce((select s.sponsor from orgs s where s.org_id = ${org_id}), ${org_id}::text)`

/**
 * A table of the rows of a select with `org_id`, with the number of their `turn`. `since` orders the rows of an
 * organization. Of each organization, `most` rows take part.
 */
export const numberTurns = (rows: string, { since, most }: { since: string; most: string }): string =>
  `(select t.*, row_number() over (partition by t.sponsor order by t.turn_in_org, ${since}, t.org_id) as turn
   from (
     select o.*, ${selectSponsor('o.org_id')} as sponsor
     from (
       select r.*, row_number() over (partition by r.org_id order by ${since}) as turn_in_org
       from (${rows}) r
     ) o
     where o.turn_in_org <= ${most}
   ) t)`

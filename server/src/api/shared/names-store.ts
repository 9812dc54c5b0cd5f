// How trails and artifacts are found by a part of their name: through the words of names (migration 0007, ADR 0016).

// The last character there is. In the order of bytes, everything that begins with a text lies before the text with this.
const LAST = "U&'\\+10FFFF'"

/**
 * The condition that a word `w` is of a name with `:search_by_name` in it, in one of the flows that a query selects. By
 * comparison: row-level security lets no other operator near an index. The flows are no join, for PostgreSQL, which knows
 * little of so small a table, would look through the words once for each.
 */
export const matchesName = (flows: string): string => `
  w.org_id = :org_id and w.word >= sought_word(:search_by_name)
  and w.word < sought_word(:search_by_name) || ${LAST} and (w.flow_id in (${flows})) is true`

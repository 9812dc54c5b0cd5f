// Finds trails and artifacts by part of their name, through the index of words in names (name_words in the schema, docs/adr/0016).

// The last Unicode character. In byte order, every string with a given prefix sorts before the prefix plus this
// character.
const LAST = "U&'\\+10FFFF'"

/**
 * The condition that word `w` belongs to a name that contains `:search_by_name`, in one of the flows that a query
 * selects. It uses comparisons because row-level security keeps other operators from using an index. It avoids a join
 * with the flows because PostgreSQL, with few statistics on so small a table, would scan the words once per flow.
 */
export const matchesName = (flows: string): string => `
  w.org_id = :org_id and w.word >= sought_word(:search_by_name)
  and w.word < sought_word(:search_by_name) || ${LAST} and (w.flow_id in (${flows})) is true`

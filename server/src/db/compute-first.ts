// Lets a condition compute a value and still use an index.

/**
 * Computes a value from another row before a condition compares it. Row-level security keeps a row from every function
 * that could leak it. PostgreSQL counts `coalesce` as such a function and, since 15.20, also an addition or a cast of
 * another row's column: the condition alone would read the whole organization. A subselect in between is safe, as are
 * plain columns, parameters and whatever is computed from parameters alone (docs/adr/0028-statements-declare-bounds.md).
 */
export const computeFirst = (expression: string): string => `(select ${expression})`

-- min-compatible: 0022
-- The same numbers as before, as one expression that PostgreSQL copies into the statements that use it. As a call it
-- cost more than the rest of the row, also for open intervals, whose node is null.
create or replace function interval_node(first integer, last integer) returns integer
  language sql immutable strict parallel safe
  return (last >> (32 - position('1' in ((first - 1) # last)::bit(32)::text)))
    << (32 - position('1' in ((first - 1) # last)::bit(32)::text));

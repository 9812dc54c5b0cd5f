// The flow that a name in a request refers to, as an expression in other statements. Equal to the functions
// `flow_named` and `flow_meant` of the database, which PostgreSQL runs as separate statements: it never inlines
// functions with subqueries, and versions before 18 plan them anew in every statement.

/**
 * The active flow with that name, or else the active flow that had it last. `name` is a parameter. A subquery as a
 * whole: compared with a bare `coalesce`, row-level security would keep an index from being used.
 */
export const flowNamed = (name: string): string => `(select coalesce(${active(name)}, ${activeFormer(name)}))`

/** Like `flowNamed`, or else an archived flow. */
export const flowMeant = (name: string): string => `(select coalesce(${active(name)}, ${activeFormer(name)},
  (select named.flow_id from flows named where named.org_id = :org_id and named.name = ${name}),
  (select former.flow_id from former_flow_names former where former.org_id = :org_id and former.name = ${name})))`

/**
 * The same as `flowNamed` for a name that is a column: join it as `lateral`, before what is looked up by its `flow_id`.
 * The offset keeps PostgreSQL from putting the expression into the look-up, where no index could be used.
 */
export const selectFlowNamed = (name: string): string =>
  `(select coalesce(${active(name)}, ${activeFormer(name)}) as flow_id offset 0)`

const active = (name: string): string => `
  (select named.flow_id from flows named
   where named.org_id = :org_id and named.name = ${name} and named.archived_at is null)`

// The limit makes PostgreSQL look up the flow of the name; a join could read all flows.
const activeFormer = (name: string): string => `
  (select named.flow_id from former_flow_names former
   cross join lateral (
     select x.flow_id from flows x
     where x.org_id = :org_id and x.flow_id = former.flow_id and x.archived_at is null limit 1
   ) named
   where former.org_id = :org_id and former.name = ${name})`

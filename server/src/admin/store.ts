// The statements of the integrity check and of the first start. They work across orgs, as the owner.
import type { Db } from '../db/database.ts'
import { bool, statement, text } from '../db/statement.ts'

const MOST_SHOWN = 100

const FIRST_RUN_LOCK = 7_294_002

const lockFirstRun = statement(
  'first_run.lock',
  {},
  { locked: bool },
  `select true as locked from pg_advisory_xact_lock(${FIRST_RUN_LOCK})`,
)

/** Until the end of the transaction: of two processes that start at once, the second sees what the first made. */
export async function holdFirstRun(db: Db): Promise<void> {
  await db.run(lockFirstRun, {})
}

const unguarded = statement(
  'check.unguarded_tables',
  {},
  { name: text },
  `select c.relname::text as name from pg_class c
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'schema_migrations'
     and not (c.relrowsecurity and c.relforcerowsecurity)
   order by 1`,
)

export async function findUnguardedTables(db: Db): Promise<string[]> {
  return (await db.run(unguarded, {})).map(row => row.name)
}

const unexplained = statement(
  'check.unexplained_trails',
  {},
  { name: text },
  `select o.name || '/' || f.name || '/' || r.name as name
   from trails r
   join flows f on f.org_id = r.org_id and f.flow_id = r.flow_id
   join orgs o on o.org_id = r.org_id
   where not exists (
     select from events e
     where e.org_id = r.org_id and e.trail_id = r.trail_id and e.kind = 'trail_reported'
   )
   limit ${MOST_SHOWN}`,
)

export async function findUnexplainedTrails(db: Db): Promise<string[]> {
  return (await db.run(unexplained, {})).map(row => row.name)
}

const wrongStates = statement(
  'check.wrong_states',
  {},
  { name: text },
  `select o.name || '/' || f.name || '/' || r.name as name
   from trails r
   join flows f on f.org_id = r.org_id and f.flow_id = r.flow_id
   join templates t on t.org_id = r.org_id and t.template_id = r.template_id
   join orgs o on o.org_id = r.org_id
   where r.compliance_state <> t.fresh_state
   limit ${MOST_SHOWN}`,
)

export async function findWrongStates(db: Db): Promise<string[]> {
  return (await db.run(wrongStates, {})).map(row => row.name)
}

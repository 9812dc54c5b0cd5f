// The physical environments that a read covers: the named one, or the members of a logical environment.
import type { Db } from '../../db/database.ts'
import { defineStatement, type RowOf, text, uuid } from '../../db/statement.ts'

const members = defineStatement(
  'shared.physical_members',
  { org_id: uuid, environment_id: uuid },
  { environment_id: uuid, name: text },
  `select e.environment_id, e.name
   from environment_members m
   join environments e on e.org_id = m.org_id and e.environment_id = m.member_id
   where m.org_id = :org_id and m.environment_id = :environment_id
   order by e.environment_id`,
)

export type PhysicalEnvironment = RowOf<typeof members>

/** Queries the database only for a logical environment. */
export async function listPhysicalEnvironments(
  db: Db,
  org_id: string,
  { environment_id, name, type }: { environment_id: string; name: string; type: string },
): Promise<PhysicalEnvironment[]> {
  if (type !== 'logical') return [{ environment_id, name }]
  return db.run(members, { org_id, environment_id })
}

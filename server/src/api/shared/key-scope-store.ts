// Resolves the names of flows and environments for keys whose scope is limited to some of them.
import type { Database, Db } from '../../db/database.ts'
import { defineStatement, nullable, text, texts, uuid } from '../../db/statement.ts'

const named = defineStatement(
  'key_scope.named',
  { org_id: uuid, flows: texts, environments: texts },
  { kind: text, name: text, id: nullable(uuid) },
  `select 'flow' as kind, n.name, flow_meant(:org_id, n.name) as id from unnest(:flows::text[]) n (name)
   union all
   select 'environment', n.name, environment_meant(:org_id, n.name) from unnest(:environments::text[]) n (name)`,
)

/** The same outside of a transaction. */
export function readScopeNames(
  db: Database,
  org_id: string,
  names: { flows: string[]; environments: string[] },
) {
  return db.read({ org_id }, named, { org_id, ...names })
}

/** The ids of the named flows and environments; null for unknown names. */
export function resolveScopeNames(
  db: Db,
  org_id: string,
  names: { flows: string[]; environments: string[] },
) {
  return db.run(named, { org_id, ...names })
}

// Resolves the names of flows and environments for keys whose scope is limited to some of them.
import type { Database, Db } from '../../db/database.ts'
import { defineStatement, nullable, text, texts, uuid } from '../../db/statement.ts'

const places = defineStatement(
  'key_scope.places',
  { org_id: uuid, flow_name: nullable(text), env_name: nullable(text) },
  { flow_id: nullable(uuid), environment_id: nullable(uuid) },
  'select flow_meant(:org_id, :flow_name) as flow_id, environment_meant(:org_id, :env_name) as environment_id',
)

export async function findScopeIds(
  db: Database,
  org_id: string,
  path: { flow_name: string | undefined; env_name: string | undefined },
): Promise<{ flow_id: string | undefined; environment_id: string | undefined }> {
  const named = { org_id, flow_name: path.flow_name ?? null, env_name: path.env_name ?? null }
  const [found] = await db.read({ org_id }, places, named)
  return { flow_id: found?.flow_id ?? undefined, environment_id: found?.environment_id ?? undefined }
}

const named = defineStatement(
  'key_scope.named',
  { org_id: uuid, flows: texts, environments: texts },
  { kind: text, name: text, id: nullable(uuid) },
  `select 'flow' as kind, n.name, flow_meant(:org_id, n.name) as id from unnest(:flows::text[]) n (name)
   union all
   select 'environment', n.name, environment_meant(:org_id, n.name) from unnest(:environments::text[]) n (name)`,
)

/** The ids of the named flows and environments; null for unknown names. */
export function resolveScopeNames(
  db: Db,
  org_id: string,
  names: { flows: string[]; environments: string[] },
) {
  return db.run(named, { org_id, ...names })
}

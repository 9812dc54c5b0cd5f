// Resolves the names of flows and environments in the scope of a key to ids, so renaming them does not change the
// scope.
import type { Db } from '../../db/database.ts'
import { invalid } from '../../lib/errors.ts'
import { resolveScopeNames } from '../shared/key-scope-store.ts'

export async function resolveScope(
  tx: Db,
  org: { org_id: string; name: string },
  { flows, environments }: { flows: string[] | undefined; environments: string[] | undefined },
): Promise<{ flow_ids: string[] | null; environment_ids: string[] | null }> {
  if (!flows && !environments) return { flow_ids: null, environment_ids: null }
  const found = await resolveScopeNames(tx, org.org_id, {
    flows: flows ?? [],
    environments: environments ?? [],
  })
  const resolveIds = (kind: 'flow' | 'environment', names: readonly string[] | undefined) =>
    names?.map((name, index) => {
      const id = found.find(place => place.kind === kind && place.name === name)?.id
      if (id) return id
      const problem = `There is no ${kind} '${name}' in organization '${org.name}'`
      throw invalid({ [`${kind}s.${index}`]: problem })
    }) ?? null
  return { flow_ids: resolveIds('flow', flows), environment_ids: resolveIds('environment', environments) }
}

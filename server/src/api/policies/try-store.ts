// The read-only statements for trying a policy.
import type { Db } from '../../db/database.ts'
import { defineStatement, int, ints, json, nullable, type RowOf, text, uuid } from '../../db/statement.ts'
import { computeRootPath } from '../../domain/snapshot/tree.ts'

const version = defineStatement(
  'policies.version_to_try',
  { org_id: uuid, name: text },
  { policy_id: uuid, latest_version: int, latest_yaml: nullable(text) },
  `select p.policy_id, p.latest_version, v.policy_yaml as latest_yaml from policies p
   left join policy_versions v on v.org_id = p.org_id and v.policy_id = p.policy_id and v.version = p.latest_version
   where p.org_id = :org_id and p.name = :name`,
)

export async function findPolicyToTry(db: Db, org_id: string, name: string) {
  return (await db.run(version, { org_id, name }))[0]
}

const logPosition = defineStatement(
  'policies.log_position',
  { org_id: uuid },
  { position: text },
  `select epoch || ' ' || size as position from log_heads where org_id = :org_id`,
)

/** Grows with every change in the organization. Undefined if nothing was logged yet. */
export async function readLogPosition(db: Db, org_id: string): Promise<string | undefined> {
  return (await db.run(logPosition, { org_id }))[0]?.position
}

const defaultTargets = defineStatement(
  'policies.usual_targets',
  { org_id: uuid, policy_id: nullable(uuid), limit: int },
  { environment_id: uuid, environment_name: text, snapshot_index: int, artifact_count: int },
  `select e.environment_id, e.name as environment_name, s.snapshot_index,
     s.compliant_count + s.non_compliant_count + s.unknown_count as artifact_count
   from environments e
   join snapshots s on s.org_id = e.org_id and s.environment_id = e.environment_id
     and s.snapshot_index = e.latest_index
   where e.org_id = :org_id and e.archived_at is null and e.type <> 'logical'
     and (:policy_id::uuid is null or exists (
       select from environment_policies x
       where x.org_id = :org_id and x.environment_id = e.environment_id and x.policy_id = :policy_id))
   order by e.name
   limit :limit::int`,
)

export type DefaultTarget = RowOf<typeof defaultTargets>

/** The latest snapshots of the active physical environments that the policy is attached to; of all if it is null. */
export function listDefaultTargets(
  db: Db,
  org_id: string,
  filter: { policy_id: string | null; limit: number },
): Promise<DefaultTarget[]> {
  return db.run(defaultTargets, { org_id, ...filter })
}

const ALTERNATES = `coalesce(x.instances -> 'alternate_digests', '[]') as alternates`

// The same intervals as in snapshots/store.ts, with only the columns that a verdict needs.
const ran = defineStatement(
  'policies.ran_in_snapshot',
  { org_id: uuid, environment_id: uuid, index: int, at_or_before: ints, after: ints },
  { artifact_key: text, fingerprint: text, name: text, alternates: json<string[]>() },
  `select x.artifact_key, x.fingerprint, x.name, ${ALTERNATES} from runs x
   where x.org_id = :org_id and x.environment_id = :environment_id and x.to_index is null and x.from_index <= :index
   union all
   select x.artifact_key, x.fingerprint, x.name, ${ALTERNATES} from unnest(:at_or_before::int[]) way(node)
   cross join lateral (
     select y.artifact_key, y.fingerprint, y.name, y.instances from runs y
     where y.org_id = :org_id and y.environment_id = :environment_id and y.node = way.node and y.to_index > :index
     offset 0
   ) x
   union all
   select x.artifact_key, x.fingerprint, x.name, ${ALTERNATES} from unnest(:after::int[]) way(node)
   cross join lateral (
     select y.artifact_key, y.fingerprint, y.name, y.instances from runs y
     where y.org_id = :org_id and y.environment_id = :environment_id and y.node = way.node and y.from_index <= :index
     offset 0
   ) x`,
)

export type RanArtifact = RowOf<typeof ran>

export function listArtifactsAt(
  db: Db,
  org_id: string,
  { environment_id, snapshot_index }: { environment_id: string; snapshot_index: number },
): Promise<RanArtifact[]> {
  return db.run(ran, { org_id, environment_id, index: snapshot_index, ...computeRootPath(snapshot_index) })
}

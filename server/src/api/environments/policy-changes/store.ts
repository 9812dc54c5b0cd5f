// The statements that find snapshots whose policies differ from the previous snapshot's, and the names of policies.
import { computeFirst } from '../../../db/compute-first.ts'
import type { Db } from '../../../db/database.ts'
import {
  bool,
  defineStatement,
  int,
  json,
  nullable,
  type RowOf,
  readsPage,
  text,
  time,
  uuid,
  uuids,
} from '../../../db/statement.ts'
import type { PolicyInForce } from '../../../domain/policy/changes.ts'

const changed = defineStatement(
  'policy_changes.snapshots',
  { org_id: uuid, environment_ids: uuids, from_at: time, to_at: time, max_examined: int },
  {
    environment_id: uuid,
    snapshot_index: int,
    created_at: time,
    applied_policies: json<PolicyInForce[]>(),
    /** The previous snapshot's policies; null if it was not examined, and for the first one. */
    earlier_policies: nullable(json<PolicyInForce[]>()),
    /** Whether the read stopped here because it reached its limit. */
    is_limit: bool,
  },
  `select e.environment_id, x.snapshot_index, x.created_at, x.applied_policies, x.earlier_policies,
     x.no = :max_examined::int as is_limit
   from unnest(:environment_ids::uuid[]) as e(environment_id)
   cross join lateral (
     select n.snapshot_index, n.created_at, n.applied_policies, n.no,
       lead(n.applied_policies) over (order by n.no) as earlier_policies
     from (
       select s.snapshot_index, s.created_at, s.applied_policies,
         row_number() over (order by s.created_at desc, s.snapshot_index desc) as no
       from snapshots s
       where s.org_id = :org_id and s.environment_id = e.environment_id and s.created_at <= :to_at
         and s.created_at >= ${computeFirst(`coalesce((
           select b.created_at from snapshots b
           where b.org_id = :org_id and b.environment_id = e.environment_id and b.created_at < :from_at
           order by b.created_at desc, b.snapshot_index desc limit 1), :from_at::timestamptz)`)}
       order by s.created_at desc, s.snapshot_index desc
       limit :max_examined::int
     ) n
   ) x
   where x.no = :max_examined::int
     or (x.created_at >= :from_at and x.applied_policies is distinct from x.earlier_policies)
   order by x.created_at, e.environment_id, x.snapshot_index`,
  readsPage,
)

export type ChangedSnapshot = RowOf<typeof changed>

export interface ExaminedPeriod {
  from_at: Date
  to_at: Date
  /** Snapshots of each environment, the newest first. */
  max_examined: number
}

/** Oldest first. */
export function listChangedSnapshots(
  db: Db,
  org_id: string,
  environment_ids: readonly string[],
  period: ExaminedPeriod,
): Promise<ChangedSnapshot[]> {
  return db.run(changed, { org_id, environment_ids: [...environment_ids], ...period })
}

const names = defineStatement(
  'policy_changes.names',
  { org_id: uuid, policy_ids: uuids },
  { policy_id: uuid, name: text },
  'select policy_id, name from policies where org_id = :org_id and policy_id = any (:policy_ids::uuid[])',
)

export async function readPolicyNames(
  db: Db,
  org_id: string,
  policy_ids: readonly string[],
): Promise<Map<string, string>> {
  if (policy_ids.length === 0) return new Map()
  const rows = await db.run(names, { org_id, policy_ids: [...policy_ids] })
  return new Map(rows.map(({ policy_id, name }) => [policy_id, name]))
}

// The statement that hashes the state of an environment for the leaf of its snapshot, in the snapshot's transaction.
import type { Db } from '../db/database.ts'
import { defineStatement, int, json, readsWholeOrg, text, uuid } from '../db/statement.ts'
import { hashDetail, hashEvaluation, hashState } from '../events/state-content-store.ts'
import { assert } from '../lib/assert.ts'

// Reads the running artifacts, which a new snapshot equals, and not the intervals of all snapshots. Their hashes are
// stored, so that a snapshot hashes only what changed and reads just a line of the rest.
const RUNNING = `
  select w.artifact_key, w.instance_count, coalesce(w.detail_sha256, ${hashDetail('w')}) as detail_sha256, w.compliant,
    coalesce(w.evaluation_sha256, ${hashEvaluation('w')}) as evaluation_sha256
  from running_artifacts w where w.org_id = s.org_id and w.environment_id = s.environment_id`

const read = defineStatement(
  'snapshots.read_state',
  { org_id: uuid, environment_id: uuid, snapshot_index: int },
  { sha256: text },
  `select ${hashState(RUNNING)} as sha256 from snapshots s
   where s.org_id = :org_id and s.environment_id = :environment_id and s.snapshot_index = :snapshot_index`,
  readsWholeOrg('a snapshot covers all running artifacts of its environment'),
)

/** The state of the newest snapshot, with the artifacts that started with it. */
export async function hashRunningState(
  db: Db,
  org_id: string,
  snapshot: { environment_id: string; snapshot_index: number },
): Promise<string> {
  const [row] = await db.run(read, { org_id, ...snapshot })
  assert(row, 'the snapshot was inserted')
  return row.sha256
}

const NOTHING = `${RUNNING} and false`

const readLogical = defineStatement(
  'snapshots.read_logical_states',
  { org_id: uuid, snapshots: json<readonly { environment_id: string; snapshot_index: number }[]>() },
  { environment_id: uuid, sha256: text },
  `select s.environment_id, ${hashState(NOTHING)} as sha256
   from jsonb_to_recordset(:snapshots::jsonb) as i(environment_id uuid, snapshot_index int)
   cross join lateral (
     select * from snapshots x
     where x.org_id = :org_id and x.environment_id = i.environment_id and x.snapshot_index = i.snapshot_index limit 1
   ) s`,
)

/**
 * Hashes the states of new snapshots of logical environments, in their order. They name the snapshots of their
 * members.
 */
export async function hashLogicalStates(
  db: Db,
  org_id: string,
  snapshots: readonly { environment_id: string; snapshot_index: number }[],
): Promise<string[]> {
  const keys = snapshots.map(({ environment_id, snapshot_index }) => ({ environment_id, snapshot_index }))
  const rows = await db.run(readLogical, { org_id, snapshots: keys })
  const states = new Map(rows.map(({ environment_id, sha256 }) => [environment_id, sha256]))
  return snapshots.map(({ environment_id }) => states.get(environment_id) ?? '')
}

// The SQL that reads contents as leaves commit to them, for audit packages.
import type { Db } from '../db/database.ts'
import { bool, defineStatement, int, PLANNED_ONCE, readsPage, text, uuid } from '../db/statement.ts'
import { ARTIFACTS_OF_SNAPSHOT, formatState } from '../events/state-content-store.ts'

const stateOf = defineStatement(
  'log.read_state_of_snapshot',
  { org_id: uuid, environment_id: uuid, snapshot_index: int },
  { state: text },
  `select ${formatState(ARTIFACTS_OF_SNAPSHOT)} as state from snapshots s
   where s.org_id = :org_id and s.environment_id = :environment_id and s.snapshot_index = :snapshot_index`,
  readsPage,
)

/** The text whose hash is in the leaf of the snapshot. */
export async function readState(
  db: Db,
  org_id: string,
  snapshot: { environment_id: string; snapshot_index: number },
): Promise<string | undefined> {
  return (await db.run(stateOf, { org_id, ...snapshot }))[0]?.state
}

const changeOfControl = defineStatement(
  'log.find_change_of_control',
  { org_id: uuid, control_id: uuid },
  { event_id: uuid },
  `select e.event_id from events e
   where e.org_id = :org_id and e.control_id = :control_id and e.parts ? 'control'
   order by e.event_id desc limit 1`,
  PLANNED_ONCE,
)

/** The newest event that commits to the row of the control. */
export async function findChangeOfControl(
  db: Db,
  org_id: string,
  control_id: string,
): Promise<string | undefined> {
  return (await db.run(changeOfControl, { org_id, control_id }))[0]?.event_id
}

const writable = defineStatement(
  'log.read_whether_writable',
  {},
  { is_writable: bool },
  `select current_setting('transaction_read_only') = 'off' as is_writable`,
)

/** Whether this transaction may change anything: not in an organization that is being moved. */
export async function isWritable(db: Db): Promise<boolean> {
  return (await db.run(writable, {}))[0]?.is_writable === true
}

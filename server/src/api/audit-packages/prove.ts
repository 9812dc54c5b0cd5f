// Finds the leaves that prove what a package is about.
import type { Database } from '../../db/database.ts'
import { readContents } from '../../events/stored-rows-store.ts'
import { makeLaterId, toWireId } from '../../lib/ids.ts'
import { findChangeOfControl } from '../../log/content-store.ts'
import {
  type FoundLeaf,
  findLeafOfEvent,
  findLeafOfReport,
  findLeafOfTrail,
  listLeavesOfPolicies,
  type ReportedId,
} from '../../log/leaf-store.ts'
import type { ToProve } from './package.ts'

/** An event's id is created in the request that reports it: this is far more than a request takes. */
const EVENT_WITHIN_MS = 60 * 60 * 1000

export const toReportedId = (id: string): ReportedId => ({
  id,
  wire_id: toWireId(id),
  end_id: makeLaterId(id, EVENT_WITHIN_MS),
})

/** The newest change of the control, and the control as it is stored. */
export async function* proveControl(
  org_id: string,
  control_id: string,
  db: Database,
): AsyncGenerator<ToProve> {
  const { event_id, content } = await db.withTransaction({ org_id }, async tx => {
    const [row] = await readContents(tx, org_id, [{ name: 'control', id: control_id }])
    return { event_id: await findChangeOfControl(tx, org_id, control_id), content: row }
  })
  yield {
    leaf: event_id === undefined ? undefined : await findLeafOfEvent(db, org_id, event_id),
    contents: content === undefined ? {} : { control: content },
  }
}

/** The newest change of the trail, and the trail as it is stored. */
export async function* proveTrail(
  org_id: string,
  { trail_id, ...names }: { trail_id: string; flow_name: string; trail_name: string },
  db: Database,
): AsyncGenerator<ToProve> {
  const leaf = await findLeafOfTrail(db, org_id, names)
  const [trail = ''] = await db.withTransaction({ org_id }, tx =>
    readContents(tx, org_id, [{ name: 'trail', id: trail_id }]),
  )
  yield { leaf, contents: { trail } }
}

export async function* proveReports(
  org_id: string,
  report_ids: readonly string[],
  db: Database,
): AsyncGenerator<ToProve> {
  for (const id of report_ids) yield { leaf: await findLeafOfReport(db, org_id, toReportedId(id)) }
}

/** The snapshot, and the versions of the policies that were in force. */
export async function* proveSnapshot(
  org_id: string,
  leaf: FoundLeaf | undefined,
  applied: readonly { policy_id: string; version: number }[],
  db: Database,
): AsyncGenerator<ToProve> {
  yield { leaf }
  for (const found of await listLeavesOfPolicies(db, org_id, applied)) yield { leaf: found }
}

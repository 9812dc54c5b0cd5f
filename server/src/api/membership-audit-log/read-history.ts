// Reads the membership history in ranges of event numbers, oldest first, for files that are sent while they are read.
import type { Database } from '../../db/database.ts'
import * as store from './store.ts'

const ROWS_PER_CHUNK = 1_000

/** Events that happen while the file is being sent are left out. */
export async function openHistory(
  db: Database,
  org_id: string,
  filter: store.EventFilter,
): Promise<AsyncIterable<store.MembershipEventRow[]>> {
  const last_no = await db.withTransaction({ org_id }, tx => store.countEvents(tx, org_id))
  return readChunks(db, org_id, filter, last_no)
}

/** The loop stops when the client disconnects. */
async function* readChunks(
  db: Database,
  org_id: string,
  filter: store.EventFilter,
  last_no: number,
): AsyncIterable<store.MembershipEventRow[]> {
  for (let from_no = 1; from_no <= last_no; from_no += ROWS_PER_CHUNK) {
    const to_no = Math.min(from_no + ROWS_PER_CHUNK - 1, last_no)
    const rows = await store.listMatchesInRange(db, org_id, filter, { from_no, to_no })
    if (rows.length > 0) yield rows
  }
}

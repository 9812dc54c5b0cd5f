// Calls the database function that creates the months of the event log. The application role cannot create tables.
import type { Database } from '../db/database.ts'
import { defineStatement, int } from '../db/statement.ts'

const makeMonths = defineStatement(
  'events.make_months',
  {},
  { made: int },
  'select make_event_months() as made',
)

/** Creates the current month and the next three by the database's clock, and returns the number of new ones. */
export async function makeEventMonths(db: Database): Promise<number> {
  const [row] = await db.runOnce({}, makeMonths, {})
  return row?.made ?? 0
}

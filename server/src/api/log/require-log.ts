// The log of an organization as stored. Reading it needs no signature, so it works even for a log that has lost
// signed leaves.
import type { Db } from '../../db/database.ts'
import { notFound } from '../../lib/errors.ts'
import { findLogStatus } from '../../log/checkpoint-store.ts'

export async function requireLog(
  tx: Db,
  org_id: string,
): Promise<{ epoch: number; origin: string; size: number }> {
  const log = await findLogStatus(tx, org_id)
  if (!log) throw notFound('The organization has no log yet: its first event opens it')
  return log
}

// `admin check`: what must hold of the stored data, asked of the data itself.
import type pg from 'pg'
import { migrationState } from '../db/migrate.ts'
import { asOwner } from '../db/owner.ts'
import { findUnexplainedTrails, findUnguardedTables, findWrongStates } from './store.ts'

export interface CheckResult {
  check: string
  ok: boolean
  /** What breaks the rule; empty when nothing does. */
  found: string[]
}

export async function checkIntegrity(owner: pg.Client): Promise<CheckResult[]> {
  const { pending } = await migrationState(owner)
  const schema = result('every migration is applied', pending)
  if (pending.length > 0) return [schema]
  return asOwner(owner, async tx => [
    schema,
    result('every table is guarded by row-level security', await findUnguardedTables(tx)),
    result('every trail has the event that began it', await findUnexplainedTrails(tx)),
    result('every trail has the state its template and evidence give it', await findWrongStates(tx)),
  ])
}

function result(check: string, found: string[]): CheckResult {
  return { check, ok: found.length === 0, found }
}

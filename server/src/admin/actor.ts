// What every admin command works with, and how its changes are recorded: as events of the source `script`.
import type { Db } from '../db/database.ts'
import type { EventKind } from '../events/kinds.ts'
import { insertEvent } from '../events/store.ts'
import type { Ids } from '../lib/ids.ts'
import type { Secrets } from '../lib/secrets.ts'

/** A mistake of the operator's: one line, no stack. */
export class AdminProblem extends Error {}

export interface Admin {
  tx: Db
  ids: Ids
  secrets: Secrets
  now: Date
  /** What was done, one line each; empty when everything was as wanted already. */
  changes: string[]
}

export const ADMIN_ACTOR = 'admin program'

export async function recordChange(
  admin: Admin,
  org_id: string,
  kind: EventKind,
  data: Record<string, unknown>,
): Promise<void> {
  await insertEvent(admin.tx, org_id, {
    event_id: admin.ids.next(),
    kind,
    now: admin.now,
    actor: ADMIN_ACTOR,
    request_id: 'admin',
    data: { source: 'script', ...data },
  })
}

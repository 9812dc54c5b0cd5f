// The context shared by all admin commands. Their changes are recorded as events with the source `script`.
import type { Db } from '../db/database.ts'
import type { EventKind } from '../events/kinds.ts'
import { insertEvent } from '../events/store.ts'
import type { Ids } from '../lib/ids.ts'
import type { Secrets } from '../lib/secrets.ts'

/** An operator's mistake: printed as one line without a stack trace. */
export class AdminProblem extends Error {}

export interface Admin {
  tx: Db
  ids: Ids
  secrets: Secrets
  now: Date
  /** One line per change; empty if there was nothing to change. */
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

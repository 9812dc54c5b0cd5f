// The context shared by all admin commands. Their changes are recorded as events with the source `script`.
import type { Db } from '../db/database.ts'
import type { EventKind } from '../events/kinds.ts'
import { type EventWithRows, insertEvents } from '../events/rows-of-event.ts'
import type { Ids } from '../lib/ids.ts'
import type { Secrets } from '../lib/secrets.ts'
import { findFrozenName } from './freeze-store.ts'

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

/** Rows and subjects that the data of the event does not name. */
type NamedRows = Pick<EventWithRows, 'row_ids' | 'about'>

export const ADMIN_ACTOR = 'admin program'

export async function recordChange(
  admin: Pick<Admin, 'tx' | 'ids' | 'now'>,
  org_id: string,
  kind: EventKind,
  data: Record<string, unknown>,
  named: NamedRows = {},
): Promise<void> {
  await refuseFrozen(admin.tx, org_id)
  await recordOwnChange(admin, org_id, kind, data, named)
}

/** Otherwise the copy of a frozen org in another cell would lack the change. */
export async function refuseFrozen(tx: Db, org_id: string): Promise<void> {
  const frozen = await findFrozenName(tx, org_id)
  if (frozen === undefined) return
  throw new AdminProblem(`The organization ${frozen} is frozen: change it where it has moved to, or thaw it`)
}

/** For freezing and thawing themselves. */
export async function recordOwnChange(
  admin: Pick<Admin, 'tx' | 'ids' | 'now'>,
  org_id: string,
  kind: EventKind,
  data: Record<string, unknown>,
  named: NamedRows = {},
): Promise<void> {
  const event = {
    event_id: admin.ids.next(),
    kind,
    now: admin.now,
    actor: ADMIN_ACTOR,
    request_id: 'admin',
    data: { source: 'script', ...data },
    ...named,
  }
  await insertEvents(admin.tx, org_id, [event])
}

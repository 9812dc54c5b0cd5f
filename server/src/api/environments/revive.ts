// Clears the policies and the allow-list of an archived environment that a PUT restores: neither may return unnoticed.
import type { Db } from '../../db/database.ts'
import { type EventInput, recordEvents } from '../../events/record.ts'
import type { Ids } from '../../lib/ids.ts'
import { endEntries } from '../allowlists/store.ts'
import type { Request } from './change.ts'
import { detachAll } from './set-policies.ts'
import type { LockedEnvironment } from './store.ts'

/** The caller has locked the environment, and evaluates it after all changes. */
export async function clearBeforeRevival(
  tx: Db,
  request: Request,
  ids: Ids,
  { environment_id, name: environment_name }: LockedEnvironment,
): Promise<void> {
  const { org, caller, now } = request
  await detachAll(tx, request, ids, { environment_id, name: environment_name })
  const ended = await endEntries(tx, org.org_id, { environment_id, ended_by: caller.name, now })
  const events = ended.map(({ fingerprint, artifact_name }): EventInput => {
    const data = { environment_name, artifact_fingerprint: fingerprint, artifact_name }
    return { kind: 'allow_list_entry_removed', environment_id, data }
  })
  await recordEvents(tx, request, ids, events)
}

// Clears the policies and the allow-list of an archived environment that a PUT restores: neither may return unnoticed.
import type { Db } from '../../db/database.ts'
import type { EvaluationTools } from '../../evaluation/evaluate-artifacts.ts'
import { type EventInput, recordEvents } from '../../events/record.ts'
import { detachAll, type PolicyContext } from './policies/set.ts'
import { endEntries } from './revive-store.ts'
import type { LockedEnvironment } from './store.ts'

/** The caller has locked the environment, and evaluates it after all changes. */
export async function clearBeforeRevival(
  tx: Db,
  request: PolicyContext,
  tools: EvaluationTools,
  { environment_id, name: environment_name }: LockedEnvironment,
): Promise<void> {
  const { org, caller, now } = request
  await detachAll(tx, request, tools, { environment_id, name: environment_name })
  const ended = await endEntries(tx, org.org_id, { environment_id, ended_by: caller.name, now })
  const events = ended.map(({ entry_id, fingerprint, artifact_name }): EventInput => {
    const data = { environment_name, artifact_fingerprint: fingerprint, artifact_name }
    return { kind: 'allow_list_entry_removed', environment_id, data, row_ids: { allow_list_entry: entry_id } }
  })
  await recordEvents(tx, request, tools.ids, events)
}

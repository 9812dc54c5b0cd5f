// Clears the policies and the allow-list of an archived environment that a PUT restores: neither may return unnoticed.
import type { Db } from '../../db/database.ts'
import type { EvaluationTools } from '../../evaluation/evaluate-artifacts.ts'
import { recordEvent } from '../../events/record.ts'
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
  for (const { fingerprint, artifact_name } of ended) {
    const data = { environment_name, artifact_fingerprint: fingerprint, artifact_name }
    await recordEvent(tx, request, tools.ids, { kind: 'allow_list_entry_removed', environment_id, data })
  }
}

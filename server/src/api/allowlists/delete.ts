// DELETE /allowlists/{org}/{env_name}/{fingerprint}: removes an entry, so that policies apply to the artifact again.

import { evaluateEnvironment } from '../../evaluation/evaluate-environment.ts'
import { recordEvent } from '../../events/record.ts'
import { requireLockedEnvironment } from '../environments/problems.ts'
import { defineOperation } from '../operation.ts'
import { OK, Ok } from '../shared/wire.ts'
import { notAllowListed } from './problems.ts'
import * as store from './store.ts'
import { AllowListEntryPath } from './wire.ts'

export const deleteAllowListEntry = defineOperation(
  {
    id: 'deleteAllowListEntry',
    method: 'DELETE',
    path: '/allowlists/{org}/{env_name}/{fingerprint}',
    tag: 'Allow-lists',
    summary: 'Remove an artifact from the allow-list of an environment',
    description: 'The entry stays in the history, with the name of the caller who removed it.',
    access: 'member',
    audit: 'allow_list_entry_removed',
    params: AllowListEntryPath,
    returns: Ok,
    fails: [400, 403, 404],
    example: { params: { fingerprint: '7ac2b358690d4f1e7ac2b358690d4f1e7ac2b358690d4f1e7ac2b358690d4f1e' } },
  },
  (request, deps) => {
    const { db, ids } = deps
    const { params, org, caller, now } = request
    const { fingerprint } = params
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const { environment_id, name } = await requireLockedEnvironment(tx, org, params.env_name)
      const entry = await store.findOpenEntry(tx, org.org_id, { environment_id, fingerprint })
      const isExpired = entry?.expires_at && entry.expires_at <= now
      if (!entry || isExpired) throw notAllowListed(fingerprint, params.env_name)
      await store.endEntry(tx, org.org_id, { entry_id: entry.entry_id, ended_by: caller.name, now })
      const { artifact_name } = entry
      const data = { environment_name: name, artifact_fingerprint: fingerprint, artifact_name }
      await recordEvent(tx, request, ids, {
        kind: 'allow_list_entry_removed',
        environment_id,
        data,
        row_ids: { allow_list_entry: entry.entry_id },
      })
      await evaluateEnvironment(tx, request, deps, { environment_id, cause: 'allow-list' })
      return OK
    })
  },
)

// PUT /environments/{org}/{env_name}/rename: the old name keeps working until another environment takes it.
import { recordEvent } from '../../events/record.ts'
import { invalid } from '../../lib/errors.ts'
import { defineOperation } from '../operation.ts'
import { OK, Ok } from '../shared/wire.ts'
import { buildArchivedName, requireLockedEnvironment } from './problems.ts'
import * as store from './store.ts'
import { EnvironmentPath, EnvironmentRename } from './wire.ts'

export const renameEnvironment = defineOperation(
  {
    id: 'renameEnvironment',
    method: 'PUT',
    path: '/environments/{org}/{env_name}/rename',
    tag: 'Environments',
    summary: 'Rename an environment',
    access: 'member',
    audit: 'environment_renamed',
    params: EnvironmentPath,
    body: EnvironmentRename,
    returns: Ok,
    fails: [400, 403, 404],
    example: { body: { new_name: 'production-eu' } },
  },
  (request, { db, ids }) => {
    const { params, body, org, now } = request
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const { new_name } = body
      const { environment_id, name: old_name } = await requireLockedEnvironment(tx, org, params.env_name)
      if (old_name === new_name) return OK
      const holder = await store.lockEnvironmentByName(tx, org.org_id, new_name)
      if (holder && holder.archived_at === null) {
        throw invalid({
          new_name: `An environment named '${new_name}' already exists in organization '${org.name}'`,
        })
      }
      const name_for_archived = buildArchivedName(new_name, holder?.archived_at ?? now)
      const renaming = { environment_id, old_name, new_name, name_for_archived, now }
      await store.renameEnvironment(tx, org.org_id, renaming)
      const data = { old_name, new_name }
      await recordEvent(tx, request, ids, { kind: 'environment_renamed', environment_id, data })
      return OK
    })
  },
)

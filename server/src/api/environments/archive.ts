// PUT /environments/{org}/{env_name}/archive: hides the environment from lists and removes it from logical
// environments. Its history stays.
import { recordEvent } from '../../events/record.ts'
import { removeArchivedEnvironment } from '../notifications/environments/store.ts'
import { defineOperation } from '../operation.ts'
import { OK, Ok } from '../shared/wire.ts'
import { recordMemberChanges } from './members/change.ts'
import { removeFromLogical } from './members/store.ts'
import { noSuchEnvironment } from './problems.ts'
import * as store from './store.ts'
import { EnvironmentPath } from './wire.ts'

export const archiveEnvironment = defineOperation(
  {
    id: 'archiveEnvironment',
    method: 'PUT',
    path: '/environments/{org}/{env_name}/archive',
    tag: 'Environments',
    summary: 'Archive an environment',
    description:
      'Logical environments and notifications no longer include it. Archiving it again changes nothing. Unarchiving ' +
      'restores it as it was; a PUT restores it with the fields of that request.',
    access: 'member',
    audit: ['environment_archived', 'environment_members_changed'],
    params: EnvironmentPath,
    returns: Ok,
    fails: [403, 404],
  },
  (request, { db, ids }) => {
    const { params, org, now } = request
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const environment = await store.lockEnvironment(tx, org.org_id, params.env_name)
      if (!environment) throw noSuchEnvironment(params.env_name, org.name)
      if (environment.archived_at) return OK
      const { environment_id, name } = environment
      const parents = await removeFromLogical(tx, org.org_id, environment_id)
      await store.archiveEnvironment(tx, org.org_id, environment_id, now)
      await removeArchivedEnvironment(tx, org.org_id, environment_id, now)
      const data = { environment_name: name }
      await recordEvent(tx, request, ids, { kind: 'environment_archived', environment_id, data })
      const active = parents.filter(({ archived_at }) => archived_at === null)
      await recordMemberChanges(tx, request, ids, active, { added: [], removed: [name] })
      return OK
    })
  },
)

// PUT /environments/{org}/{env_name}/archive: hides the environment from lists and removes it from logical
// environments. Its history stays.
// PUT /environments/{org}/{env_name}/unarchive: restores it as it was.
import { evaluateEnvironment } from '../../evaluation/evaluate-environment.ts'
import { buildMembersRequest, takeLogicalSnapshots } from '../../evaluation/logical-snapshot.ts'
import { recordEvent } from '../../events/record.ts'
import { removeArchivedEnvironment } from '../notifications/environments/store.ts'
import { defineArchiving } from '../shared/archiving.ts'
import { LOGICAL, recordMemberChanges } from './members/change.ts'
import { removeFromLogical } from './members/store.ts'
import { noSuchEnvironment } from './problems.ts'
import * as store from './store.ts'
import { EnvironmentPath } from './wire.ts'

const ENVIRONMENT = {
  path: '/environments/{org}/{env_name}',
  tag: 'Environments',
  access: 'member',
  params: EnvironmentPath,
  lock: store.lockEnvironment,
  missing: noSuchEnvironment,
} as const

export const archiveEnvironment = defineArchiving(ENVIRONMENT, {
  id: 'archiveEnvironment',
  verb: 'archive',
  summary: 'Archive an environment',
  description:
    'Logical environments and notifications no longer include it. Archiving it again changes nothing. Unarchiving ' +
    'restores it as it was; a PUT restores it with the fields of that request.',
  audit: ['environment_archived', 'environment_members_changed'],
  change: async (tx, request, { environment_id, name }, { ids }) => {
    const { org_id } = request.org
    const parents = await removeFromLogical(tx, org_id, environment_id)
    await store.archiveEnvironment(tx, org_id, environment_id, request.now)
    await removeArchivedEnvironment(tx, org_id, environment_id, request.now)
    const data = { environment_name: name }
    await recordEvent(tx, request, ids, { kind: 'environment_archived', environment_id, data })
    const active = parents.filter(({ archived_at }) => archived_at === null)
    await recordMemberChanges(tx, request, ids, active, { added: [], removed: [name] })
  },
})

export const unarchiveEnvironment = defineArchiving(ENVIRONMENT, {
  id: 'unarchiveEnvironment',
  verb: 'unarchive',
  summary: 'Unarchive an environment',
  description:
    'Restores its policies, tags and history, and evaluates it at once. Logical environments and notifications do ' +
    'not include it again. Changes nothing if the environment is not archived.',
  audit: 'environment_unarchived',
  change: async (tx, request, { environment_id, name: environment_name, type }, deps) => {
    await store.unarchiveEnvironment(tx, request.org.org_id, environment_id, request.now)
    const data = { environment_name }
    await recordEvent(tx, request, deps.ids, { kind: 'environment_unarchived', environment_id, data })
    // While it was archived, it was not evaluated and its members kept changing.
    if (type === LOGICAL)
      await takeLogicalSnapshots(tx, request, deps.ids, buildMembersRequest(environment_id))
    else await evaluateEnvironment(tx, request, deps, { environment_id, cause: 'evidence' })
  },
})

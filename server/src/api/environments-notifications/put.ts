// PUT /organizations/{org}/environments_notifications/{number}: it says this and nothing else from now on.
import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../../db/database.ts'
import { record } from '../../events/record.ts'
import { assert } from '../../lib/assert.ts'
import { type Caller, type CallerOrg, type Deps, operation } from '../operation.ts'
import { changesOf, readTargets } from '../shared/target-changes.ts'
import { saveTargets, type TargetChanges } from '../shared/targets-store.ts'
import { namesOf, told, type WantedNotification } from './content.ts'
import { noSuchNotification, requireEnvironments, requireNotification } from './problems.ts'
import * as store from './store.ts'
import { EnvironmentNotification, EnvironmentNotificationPut, NotificationPath, toWire } from './wire.ts'

export const putEnvironmentNotification = operation(
  {
    id: 'putEnvironmentNotification',
    method: 'PUT',
    path: '/organizations/{org}/environments_notifications/{number}',
    tag: 'Notifications',
    summary: 'Change an environment notification',
    description:
      'Replaces it as a whole and keeps its number. A target of the same type and address is the same target and keeps its ' +
      'history and its secret; one that was switched off is switched on again.',
    access: 'member',
    audit: 'environment_notification_updated',
    params: NotificationPath,
    body: EnvironmentNotificationPut,
    returns: EnvironmentNotification,
    fails: [400, 403, 404],
    example: {
      body: {
        name: 'something changes in production',
        type: 'env',
        environments: ['production'],
        triggers: ['ON_STARTED_ARTIFACT', 'ON_EXITED_ARTIFACT'],
        targets: [{ type: 'EMAIL', emails: ['on-call@example.com'] }],
      },
    },
  },
  async (request, deps) => {
    const { params, body, org } = request
    const targets = readTargets(body.targets, request.client_words, deps.egressAllow)
    const triggers = [...new Set(body.triggers)]
    return deps.db.inTransaction({ org_id: org.org_id }, async tx => {
      // What is not there is told before what is wrong with the rest. It is held after the environments, as everywhere.
      if (!(await store.findNotification(tx, org.org_id, params.number))) {
        throw noSuchNotification(params.number, org.name)
      }
      const environments = await requireEnvironments(tx, org, body.environments)
      const before = await requireNotification(tx, org, params.number)
      const row = await change(
        tx,
        request,
        before,
        { name: body.name, triggers, environments, targets },
        deps,
      )
      return toWire(row, org.role, deps.sealer)
    })
  },
)

interface Occasion {
  org: CallerOrg
  caller: Caller
  now: Date
  request_id: string
}

/** Nothing is written and told when it is as wanted already. */
async function change(
  tx: Db,
  occasion: Occasion,
  before: store.NotificationRow,
  wanted: WantedNotification,
  deps: Deps,
): Promise<store.NotificationRow> {
  const { org, now } = occasion
  const { notification_id, number } = before
  const targets = changesOf(wanted.targets, before.targets, deps, now)
  const changes = changedFields(before, wanted, targets)
  if (changes.length === 0) return before
  const { name, triggers, environments } = wanted
  await store.updateNotification(tx, org.org_id, { notification_id, name, triggers, now })
  const environment_ids = environments.map(({ environment_id }) => environment_id)
  await store.setEnvironments(tx, org.org_id, notification_id, environment_ids)
  if (targets) {
    await saveTargets(tx, org.org_id, { notification_id, notification_type: null }, targets, now)
  }
  const row = await store.findNotification(tx, org.org_id, number)
  assert(row, 'a notification that is held stays where it is')
  const data = { ...told(row, deps.sealer), changes }
  await record(tx, occasion, deps.ids, { kind: 'environment_notification_updated', data })
  return row
}

function changedFields(
  before: store.NotificationRow,
  wanted: WantedNotification,
  targets: TargetChanges | undefined,
): string[] {
  const sameTriggers = wanted.triggers.join() === before.triggers.join()
  return [
    ...(wanted.name === before.name ? [] : ['name']),
    ...(isDeepStrictEqual(namesOf(wanted.environments), before.environments) ? [] : ['environments']),
    ...(sameTriggers ? [] : ['triggers']),
    ...(targets ? ['targets'] : []),
  ]
}

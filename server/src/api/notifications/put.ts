// PUT /organizations/{org}/environments_notifications/{number} and …/flows_notifications/{number}: replaces one.
import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../../db/database.ts'
import { recordEvent } from '../../events/record.ts'
import { assert } from '../../lib/assert.ts'
import { type Deps, defineOperation } from '../operation.ts'
import { computeTargetChanges } from '../shared/target-changes.ts'
import { saveTargets, type TargetChanges } from '../shared/targets-store.ts'
import { getIds, getNames, type NotificationInput, type NotificationRequest, readInput } from './input.ts'
import { ABOUT_ENVIRONMENTS, ABOUT_FLOWS, type NotificationKind } from './kinds.ts'
import {
  noSuchNotification,
  type RequestContext,
  requireNotification,
  summarizeNotification,
  toTargetOwner,
} from './notifications.ts'
import * as store from './store.ts'
import { NotificationPath, toWire } from './wire.ts'

const DESCRIPTION =
  'Replaces all fields and keeps the number. A target with the same type and address keeps its history and ' +
  'secret. A disabled target is enabled again.'
const TARGETS = [{ type: 'EMAIL', emails: ['on-call@example.com'] }]

export const putEnvironmentNotification = definePut(ABOUT_ENVIRONMENTS, {
  id: 'putEnvironmentNotification',
  summary: 'Change an environment notification',
  description: DESCRIPTION,
  example: {
    body: {
      name: 'something changes in production',
      type: 'env',
      environments: ['production'],
      triggers: ['ON_STARTED_ARTIFACT', 'ON_EXITED_ARTIFACT'],
      targets: TARGETS,
    },
  },
})

export const putFlowNotification = definePut(ABOUT_FLOWS, {
  id: 'putFlowNotification',
  summary: 'Change a flow notification',
  description: `${DESCRIPTION} Archived flows stay and count again once they are unarchived.`,
  example: {
    body: {
      name: 'releases of the backend',
      type: 'flow',
      flows: ['backend-ci'],
      triggers: ['ON_APPROVAL', 'ON_RELEASE'],
      targets: TARGETS,
    },
  },
})

interface Words {
  id: string
  summary: string
  description: string
  example: { body: unknown }
}

function definePut(kind: NotificationKind, { id, summary, description, example }: Words) {
  return defineOperation(
    {
      id,
      method: 'PUT',
      path: `${kind.path}/{number}`,
      tag: 'Notifications',
      summary,
      description,
      access: 'member',
      audit: kind.events.updated,
      params: NotificationPath,
      body: kind.Put,
      returns: kind.Notification,
      fails: [400, 403, 404],
      example,
    },
    (request, deps) => {
      const { org } = request
      return deps.db.withTransaction({ org_id: org.org_id }, async tx =>
        toWire(kind.type, await replace(tx, kind, request, deps), org.role, deps.sealer),
      )
    },
  )
}

/** Replaces every field. Writes nothing and records no event if nothing changes. */
async function replace(
  tx: Db,
  kind: NotificationKind,
  request: NotificationRequest & { params: { number: number } },
  deps: Deps,
): Promise<store.NotificationRow> {
  const { params, org } = request
  // A missing notification is reported before problems of the body. Its subjects are locked first, as everywhere.
  if (!(await store.findNotification(tx, org.org_id, kind.type, params.number))) {
    throw noSuchNotification(params.number, org.name)
  }
  const input = await readInput(tx, kind, request, deps)
  const before = await requireNotification(tx, kind, org, params.number)
  const targets = computeTargetChanges(input.targets, before.targets, deps, request.now)
  const changes = listChangedFields(kind, before, input, targets)
  if (changes.length === 0) return before
  return change(tx, kind, request, { before, input, targets, changes }, deps)
}

interface Change {
  before: store.NotificationRow
  input: NotificationInput
  /** Undefined if they do not change. */
  targets: TargetChanges | undefined
  changes: string[]
}

async function change(
  tx: Db,
  kind: NotificationKind,
  context: RequestContext,
  { before, input, targets, changes }: Change,
  deps: Deps,
): Promise<store.NotificationRow> {
  const { org, now } = context
  const { notification_id, number } = before
  const { name, triggers, subjects } = input
  await store.updateNotification(tx, org.org_id, { notification_id, name, triggers, now })
  await kind.set(tx, org.org_id, notification_id, getIds(subjects))
  if (targets) await saveTargets(tx, org.org_id, toTargetOwner(before), targets, now)
  const row = await store.findNotification(tx, org.org_id, kind.type, number)
  assert(row, 'a locked notification cannot disappear')
  const data = { ...summarizeNotification(kind, row, deps.sealer), changes }
  await recordEvent(tx, context, deps.ids, {
    kind: kind.events.updated,
    data,
    row_ids: { notification: notification_id },
  })
  return row
}

function listChangedFields(
  { field }: NotificationKind,
  before: store.NotificationRow,
  input: NotificationInput,
  targets: TargetChanges | undefined,
): string[] {
  return [
    ...(input.name === before.name ? [] : ['name']),
    ...(isDeepStrictEqual(getNames(input.subjects), before.about) ? [] : [field]),
    ...(isDeepStrictEqual(input.triggers, before.triggers) ? [] : ['triggers']),
    ...(targets ? ['targets'] : []),
  ]
}

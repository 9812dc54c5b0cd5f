// PUT /organizations/{org}/environments_notifications and …/flows_notifications: creates one, with the next number of the
// organization.
import type { Db } from '../../db/database.ts'
import { recordEvent } from '../../events/record.ts'
import { assert } from '../../lib/assert.ts'
import { accessDenied } from '../../lib/errors.ts'
import { hasSameItems } from '../../lib/same-items.ts'
import type { Sealer } from '../../lib/sealer.ts'
import { Answer, type Deps, defineOperation } from '../operation.ts'
import { lockOrgDetails } from '../shared/org-details-store.ts'
import { computeTargetChanges, hasSameTargets } from '../shared/target-changes.ts'
import { saveTargets } from '../shared/targets-store.ts'
import { getIds, getNames, type NotificationInput, type NotificationRequest, readInput } from './input.ts'
import { ABOUT_ENVIRONMENTS, ABOUT_FLOWS, type NotificationKind } from './kinds.ts'
import { type RequestContext, summarizeNotification, toTargetOwner } from './notifications.ts'
import * as store from './store.ts'
import { NotificationsPath, toWire } from './wire.ts'

const WEBHOOK = { type: 'WEBHOOK', webhook: 'https://hooks.example.com/waybill', payload_version: '1.0' }

export const createEnvironmentNotification = defineCreate(ABOUT_ENVIRONMENTS, {
  id: 'createEnvironmentNotification',
  summary: 'Create an environment notification',
  description:
    'Every target gets a message for each event in one of the environments that matches a trigger. The ' +
    'notification gets the next number of the organization; names need not be unique. If an identical one exists, ' +
    'returns 200 and creates nothing. Addresses are not looked up or contacted before the first message is sent.',
  example: {
    body: {
      name: 'production turns red',
      type: 'env',
      environments: ['production'],
      triggers: ['ON_NON_COMPLIANT_ENV', 'ON_COMPLIANT_ENV'],
      targets: [WEBHOOK, { type: 'EMAIL', emails: ['on-call@example.com'] }],
    },
  },
})

export const createFlowNotification = defineCreate(ABOUT_FLOWS, {
  id: 'createFlowNotification',
  summary: 'Create a flow notification',
  description:
    'Every target gets a message for each event in one of the flows that matches a trigger: a trail begins, an ' +
    'artifact is reported, an attestation is reported, an approval is created, an approval is given ' +
    '(`ON_RELEASE`). The notification gets the next number of the organization. If an identical one exists, ' +
    'returns 200 and creates nothing.',
  example: {
    body: {
      name: 'evidence for the backend',
      type: 'flow',
      flows: ['backend-ci'],
      triggers: ['ON_STARTED_TRAIL', 'ON_ATTESTATION'],
      targets: [WEBHOOK],
    },
  },
})

interface Words {
  id: string
  summary: string
  description: string
  example: { body: unknown }
}

function defineCreate(kind: NotificationKind, { id, summary, description, example }: Words) {
  return defineOperation(
    {
      id,
      method: 'PUT',
      path: kind.path,
      tag: 'Notifications',
      summary,
      description,
      access: 'member',
      audit: kind.events.created,
      params: NotificationsPath,
      body: kind.Put,
      returns: kind.Notification,
      creates: true,
      fails: [400, 403],
      example,
    },
    (request, deps) => {
      const { org } = request
      return deps.db.withTransaction({ org_id: org.org_id }, async tx => {
        const { row, isNew } = await findOrCreate(tx, kind, request, deps)
        return new Answer(isNew ? 201 : 200, toWire(kind.type, row, org.role, deps.sealer))
      })
    },
  )
}

/** Creates a notification with the next number of the org, or returns an identical one that exists. */
async function findOrCreate(
  tx: Db,
  kind: NotificationKind,
  request: NotificationRequest,
  deps: Deps,
): Promise<{ row: store.NotificationRow; isNew: boolean }> {
  const { org, url, body } = request
  const input = await readInput(tx, kind, request, deps)
  // The lock serializes creation, so the second of two identical concurrent requests finds the first.
  if (!(await lockOrgDetails(tx, org.org_id))) throw accessDenied(url.slice(deps.base_url.length))
  const known = await store.listNotificationsByName(tx, org.org_id, kind.type, body.name)
  const same = known.find(row => matchesInput(input, row, deps.sealer))
  if (same) return { row: same, isNew: false }
  return { row: await create(tx, kind, request, input, deps), isNew: true }
}

/** Whether a create request describes exactly this notification: clients retry when they get no response. */
function matchesInput(input: NotificationInput, row: store.NotificationRow, sealer: Sealer): boolean {
  return (
    hasSameItems(input.triggers, row.triggers) &&
    hasSameItems(getNames(input.subjects), row.about) &&
    hasSameTargets(input.targets, row.targets, sealer)
  )
}

async function create(
  tx: Db,
  kind: NotificationKind,
  context: RequestContext,
  { name, triggers, subjects, targets }: NotificationInput,
  deps: Deps,
): Promise<store.NotificationRow> {
  const { org, caller, now } = context
  const { org_id } = org
  const notification_id = deps.ids.next()
  const made = { notification_id, type: kind.type, name, triggers, created_by: caller.name, now }
  const number = await store.insertNotification(tx, org_id, made)
  assert(number !== undefined, 'the org is locked')
  await kind.set(tx, org_id, notification_id, getIds(subjects))
  const changes = computeTargetChanges(targets, [], deps, now)
  assert(changes, 'there is at least one target')
  await saveTargets(tx, org_id, toTargetOwner(made), changes, now)
  const row = await store.findNotification(tx, org_id, kind.type, number)
  assert(row, 'it was just stored')
  await recordEvent(tx, context, deps.ids, {
    kind: kind.events.created,
    data: summarizeNotification(kind, row, deps.sealer),
    row_ids: { notification: notification_id },
  })
  return row
}

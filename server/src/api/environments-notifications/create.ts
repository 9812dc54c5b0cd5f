// PUT /organizations/{org}/environments_notifications: a new one, with the next number of the org.
import type { Db } from '../../db/database.ts'
import { record } from '../../events/record.ts'
import { assert } from '../../lib/assert.ts'
import { accessDenied } from '../../lib/errors.ts'
import { Answer, type Caller, type CallerOrg, type Deps, operation } from '../operation.ts'
import { lockOrgDetails } from '../orgs/store.ts'
import { changesOf, readTargets } from '../shared/target-changes.ts'
import { saveTargets } from '../shared/targets-store.ts'
import { isAsWanted, told, type WantedNotification } from './content.ts'
import { requireEnvironments } from './problems.ts'
import * as store from './store.ts'
import { EnvironmentNotification, EnvironmentNotificationPut, NotificationsPath, toWire } from './wire.ts'

export const createEnvironmentNotification = operation(
  {
    id: 'createEnvironmentNotification',
    method: 'PUT',
    path: '/organizations/{org}/environments_notifications',
    tag: 'Notifications',
    summary: 'Create an environment notification',
    description:
      'Every target gets a message when something happens that a trigger names, in any of the environments. It gets the ' +
      'next number of the organization, also when another has its name. One that is there exactly as sent is answered ' +
      'with 200, and none is created. Nobody is asked where an address leads to before something is sent there.',
    access: 'member',
    audit: 'environment_notification_created',
    params: NotificationsPath,
    body: EnvironmentNotificationPut,
    returns: EnvironmentNotification,
    creates: true,
    fails: [400, 403],
    example: {
      body: {
        name: 'production turns red',
        type: 'env',
        environments: ['production'],
        triggers: ['ON_NON_COMPLIANT_ENV', 'ON_COMPLIANT_ENV'],
        targets: [
          { type: 'WEBHOOK', webhook: 'https://hooks.example.com/waybill', payload_version: '1.0' },
          { type: 'EMAIL', emails: ['on-call@example.com'] },
        ],
      },
    },
  },
  async (request, deps) => {
    const { body, org, url } = request
    const targets = readTargets(body.targets, request.client_words, deps.egressAllow)
    const triggers = [...new Set(body.triggers)]
    return deps.db.inTransaction({ org_id: org.org_id }, async tx => {
      const environments = await requireEnvironments(tx, org, body.environments)
      // One after the other: of two alike that come together, the second finds the first.
      if (!(await lockOrgDetails(tx, org.org_id))) throw accessDenied(url.slice(deps.base_url.length))
      const wanted = { name: body.name, triggers, environments, targets }
      const known = await store.notificationsNamed(tx, org.org_id, body.name)
      const same = known.find(row => isAsWanted(wanted, row, deps.sealer))
      const row = same ?? (await create(tx, request, wanted, deps))
      return new Answer(same ? 200 : 201, toWire(row, org.role, deps.sealer))
    })
  },
)

interface Occasion {
  org: CallerOrg
  caller: Caller
  now: Date
  request_id: string
}

async function create(
  tx: Db,
  occasion: Occasion,
  { name, triggers, environments, targets }: WantedNotification,
  deps: Deps,
): Promise<store.NotificationRow> {
  const { org, caller, now } = occasion
  const { org_id } = org
  const notification_id = deps.ids.next()
  const made = { notification_id, name, triggers, created_by: caller.name, now }
  const number = await store.insertNotification(tx, org_id, made)
  assert(number !== undefined, 'the org is held')
  const environment_ids = environments.map(({ environment_id }) => environment_id)
  await store.setEnvironments(tx, org_id, notification_id, environment_ids)
  const changes = changesOf(targets, [], deps, now)
  assert(changes, 'there is at least one target')
  await saveTargets(tx, org_id, { notification_id, notification_type: null }, changes, now)
  const row = await store.findNotification(tx, org_id, number)
  assert(row, 'it was just stored')
  const data = told(row, deps.sealer)
  await record(tx, occasion, deps.ids, { kind: 'environment_notification_created', data })
  return row
}

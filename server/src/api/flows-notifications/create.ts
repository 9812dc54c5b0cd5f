// PUT /organizations/{org}/flows_notifications: a new one, with the next number of the org.

import type { Db } from '../../db/database.ts'
import { record } from '../../events/record.ts'
import { assert } from '../../lib/assert.ts'
import { accessDenied } from '../../lib/errors.ts'
import { sameItems } from '../../lib/same-items.ts'
import type { Sealer } from '../../lib/sealer.ts'
import { NotificationsPath } from '../environments-notifications/wire.ts'
import { Answer, type Caller, type CallerOrg, type Deps, operation } from '../operation.ts'
import { lockOrgDetails } from '../orgs/store.ts'
import { areAsWanted, changesOf, readTargets, type WantedTarget } from '../shared/target-changes.ts'
import { toldTargets } from '../shared/targets.ts'
import { saveTargets } from '../shared/targets-store.ts'
import { requireFlows } from './problems.ts'
import * as store from './store.ts'
import { FlowNotification, FlowNotificationPut, toWire } from './wire.ts'

export const createFlowNotification = operation(
  {
    id: 'createFlowNotification',
    method: 'PUT',
    path: '/organizations/{org}/flows_notifications',
    tag: 'Notifications',
    summary: 'Create a flow notification',
    description:
      'Every target gets a message for each thing that happens in one of the flows and that a trigger names: a trail ' +
      'begins, an artifact is reported, an attestation is reported, an approval is created, an approval is given ' +
      '(`ON_RELEASE`). It gets the next number of the organization. One that is there exactly as sent is answered with ' +
      '200, and none is created',
    access: 'member',
    audit: 'flow_notification_created',
    params: NotificationsPath,
    body: FlowNotificationPut,
    returns: FlowNotification,
    creates: true,
    fails: [400, 403],
    example: {
      body: {
        name: 'evidence for the backend',
        type: 'flow',
        flows: ['backend-ci'],
        triggers: ['ON_STARTED_TRAIL', 'ON_ATTESTATION'],
        targets: [{ type: 'WEBHOOK', webhook: 'https://hooks.example.com/waybill', payload_version: '1.0' }],
      },
    },
  },
  async (request, deps) => {
    const { body, org, url } = request
    const targets = readTargets(body.targets, request.client_words, deps.egressAllow)
    const triggers = [...new Set(body.triggers)]
    return deps.db.inTransaction({ org_id: org.org_id }, async tx => {
      const flows = await requireFlows(tx, org, body.flows)
      // One after the other: of two alike that come together, the second finds the first.
      if (!(await lockOrgDetails(tx, org.org_id))) throw accessDenied(url.slice(deps.base_url.length))
      const wanted = { name: body.name, triggers, flows, targets }
      const known = await store.notificationsNamed(tx, org.org_id, body.name)
      const same = known.find(row => isAsWanted(wanted, row, deps.sealer))
      const row = same ?? (await create(tx, request, wanted, deps))
      return new Answer(same ? 200 : 201, toWire(row, org.role, deps.sealer))
    })
  },
)

interface Wanted {
  name: string
  triggers: string[]
  flows: readonly store.HeldFlow[]
  targets: readonly WantedTarget[]
}

/** Clients send it again when no answer came. */
function isAsWanted(wanted: Wanted, row: store.FlowNotificationRow, sealer: Sealer): boolean {
  const flows = wanted.flows.map(({ name }) => name)
  return (
    sameItems(wanted.triggers, row.triggers) &&
    sameItems(flows, row.flows) &&
    areAsWanted(wanted.targets, row.targets, sealer)
  )
}

interface Occasion {
  org: CallerOrg
  caller: Caller
  now: Date
  request_id: string
}

async function create(
  tx: Db,
  occasion: Occasion,
  { name, triggers, flows, targets }: Wanted,
  deps: Deps,
): Promise<store.FlowNotificationRow> {
  const { org, caller, now } = occasion
  const { org_id } = org
  const notification_id = deps.ids.next()
  const flow_ids = flows.map(({ flow_id }) => flow_id)
  const made = { notification_id, name, triggers, flow_ids, created_by: caller.name, now }
  const number = await store.insertNotification(tx, org_id, made)
  assert(number !== undefined, 'the org is held')
  const changes = changesOf(targets, [], deps, now)
  assert(changes, 'there is at least one target')
  await saveTargets(tx, org_id, { notification_id, notification_type: null }, changes, now)
  const row = await store.findNotification(tx, org_id, number)
  assert(row, 'it was just stored')
  await record(tx, occasion, deps.ids, { kind: 'flow_notification_created', data: told(row, deps.sealer) })
  return row
}

/** Never with more of an address than its origin. */
export function told(row: store.FlowNotificationRow, sealer: Sealer): Record<string, unknown> {
  const { number, name, flows, triggers, targets } = row
  return { number, name, flows, triggers, targets: toldTargets(targets, sealer) }
}

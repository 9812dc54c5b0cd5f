// PUT /organizations/{org}/flows_notifications: creates one, with the next number of the organization.

import { Answer, defineOperation } from '../operation.ts'
import { createNotification } from '../shared/notification-writes.ts'
import { NotificationsPath } from '../shared/notifications-wire.ts'
import { ABOUT_FLOWS } from './kind.ts'
import { FlowNotification, FlowNotificationPut, toWire } from './wire.ts'

export const createFlowNotification = defineOperation(
  {
    id: 'createFlowNotification',
    method: 'PUT',
    path: '/organizations/{org}/flows_notifications',
    tag: 'Notifications',
    summary: 'Create a flow notification',
    description:
      'Every target gets a message for each event in one of the flows that matches a trigger: a trail begins, an ' +
      'artifact is reported, an attestation is reported, an approval is created, an approval is given ' +
      '(`ON_RELEASE`). The notification gets the next number of the organization. If an identical one exists, ' +
      'returns 200 and creates nothing.',
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
  (request, deps) => {
    const { body, org } = request
    return deps.db.withTransaction({ org_id: org.org_id }, async tx => {
      const { row, isNew } = await createNotification(tx, ABOUT_FLOWS, request, body.flows, deps)
      return new Answer(isNew ? 201 : 200, toWire(row, org.role, deps.sealer))
    })
  },
)

// PUT /organizations/{org}/environments_notifications: creates one, with the next number of the organization.
import { Answer, defineOperation } from '../operation.ts'
import { createNotification } from '../shared/notification-writes.ts'
import { NotificationsPath } from '../shared/notifications-wire.ts'
import { ABOUT_ENVIRONMENTS } from './kind.ts'
import { EnvironmentNotification, EnvironmentNotificationPut, toWire } from './wire.ts'

export const createEnvironmentNotification = defineOperation(
  {
    id: 'createEnvironmentNotification',
    method: 'PUT',
    path: '/organizations/{org}/environments_notifications',
    tag: 'Notifications',
    summary: 'Create an environment notification',
    description:
      'Every target gets a message for each event in one of the environments that matches a trigger. The ' +
      'notification gets the next number of the organization; names need not be unique. If an identical one exists, ' +
      'returns 200 and creates nothing. Addresses are not looked up or contacted before the first message is sent.',
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
  (request, deps) => {
    const { body, org } = request
    return deps.db.withTransaction({ org_id: org.org_id }, async tx => {
      const { row, isNew } = await createNotification(
        tx,
        ABOUT_ENVIRONMENTS,
        request,
        body.environments,
        deps,
      )
      return new Answer(isNew ? 201 : 200, toWire(row, org.role, deps.sealer))
    })
  },
)

// PUT /notification-config/{org}/{notification_type}: notifies these targets instead of the default recipients.
import { recordEvent } from '../../events/record.ts'
import { Answer, defineOperation } from '../operation.ts'
import { computeTargetChanges, readTargets } from '../shared/target-changes.ts'
import { summarizeTargets } from '../shared/targets.ts'
import { saveTargets } from '../shared/targets-store.ts'
import * as store from './store.ts'
import { NotificationConfigPath, NotificationConfigPut, NotificationConfigResponse, toWire } from './wire.ts'

export const putNotificationConfig = defineOperation(
  {
    id: 'putNotificationConfig',
    method: 'PUT',
    path: '/notification-config/{org}/{notification_type}',
    tag: 'Notifications',
    summary: 'Set the targets of a notification type',
    description:
      'The targets replace the default recipients and all targets that were set before. Delete the configuration to ' +
      'restore the default recipients.',
    access: 'admin',
    audit: 'notification_config_set',
    params: NotificationConfigPath,
    body: NotificationConfigPut,
    returns: NotificationConfigResponse,
    creates: true,
    fails: [400, 403],
    example: {
      params: { notification_type: 'api_key_expiry' },
      body: { targets: [{ type: 'EMAIL', emails: ['security@example.com'] }] },
    },
  },
  async (request, deps) => {
    const { params, body, org, now } = request
    const { notification_type } = params
    const requested = readTargets(body.targets, request.client_words, deps.egressAllow)
    const row = await deps.db.withTransaction({ org_id: org.org_id }, async tx => {
      const before = await store.lockNewConfig(tx, org.org_id, notification_type)
      const changes = computeTargetChanges(requested, before.targets, deps, now)
      if (!changes) return before
      await saveTargets(tx, org.org_id, { notification_id: null, notification_type }, changes, now)
      const after = await store.findConfig(tx, org.org_id, notification_type)
      const data = { notification_type, targets: summarizeTargets(after.targets, deps.sealer) }
      await recordEvent(tx, request, deps.ids, { kind: 'notification_config_set', data })
      return after
    })
    return new Answer(201, toWire(notification_type, row, org.role, deps.sealer))
  },
)

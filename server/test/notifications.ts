// Notifications for tests: created through the API, and read from the outbox before they are sent.
import type { EnvironmentNotice, Trigger } from '../src/domain/notification/notice.ts'
import type { TestApp } from './harness.ts'

export const HOOK = { type: 'WEBHOOK', webhook: 'https://hooks.example/secret-path' }
export const CHAT = { type: 'CHAT', webhook: 'https://chat.example/services/secret-path' }
export const MAIL = { type: 'EMAIL', emails: ['team@acme.example'] }

export interface Wanted {
  name?: string
  environments: readonly string[]
  triggers: readonly Trigger[]
  targets?: readonly object[]
}

export async function makeNotification(app: TestApp, wanted: Wanted): Promise<{ number: number }> {
  const path = '/organizations/acme/environments_notifications'
  const { name = 'told', targets = [HOOK, CHAT, MAIL], ...rest } = wanted
  const { status, body, text } = await app.member.put(path, { name, type: 'env', targets, ...rest })
  if (status !== 201) throw new Error(`not created: ${status} ${text}`)
  return body
}

export interface Waiting {
  type: string
  event_type: string
  notice: EnvironmentNotice
}

/** Returns the pending deliveries, oldest first, and deletes them. */
export async function takeMessages(app: TestApp): Promise<Waiting[]> {
  const rows = await app.sql(
    `select t.type, o.event_type, o.payload -> 'notice' as notice
     from outbox o join notification_targets t using (org_id, target_id)
     where o.kind = 'delivery' order by o.job_id`,
  )
  await app.sql(`delete from outbox where kind = 'delivery'`)
  return rows as unknown as Waiting[]
}

/** The pending deliveries as target type and event type, such as `WEBHOOK STARTED_ARTIFACT`. */
export async function takeKinds(app: TestApp): Promise<string[]> {
  return (await takeMessages(app)).map(({ type, event_type }) => `${type} ${event_type}`)
}

// Shared by the tests of environment notifications: an organization with two environments, and request bodies.
import { startTestApp, type TestApp } from './harness.ts'

const PATH = '/organizations/acme/environments_notifications'
export const ORIGIN = 'https://hooks.example.com'

export async function startAppWithEnvironments(): Promise<TestApp> {
  const app = await startTestApp()
  for (const name of ['prod', 'staging']) await app.member.put('/environments/acme', { name, type: 'K8S' })
  return app
}

export const makeWebhook = (path: string, more: object = {}) => ({
  type: 'WEBHOOK',
  webhook: `${ORIGIN}/${path}`,
  ...more,
})

export const makeBody = (name: string, targets: unknown[], more: object = {}) => ({
  name,
  environments: ['prod'],
  triggers: ['ON_NON_COMPLIANT_ENV'],
  targets,
  ...more,
})

/** Returns the number of the notification. */
export async function createNotification(app: TestApp, name: string, targets: unknown[]): Promise<number> {
  return (await app.admin.put(PATH, makeBody(name, targets))).body.number
}

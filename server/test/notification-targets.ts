// Notifications for cross-cutting tests: resources for their operations, rows in each of their tables, planted
// secrets.
import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { Contract } from '../src/api/operation.ts'
import { makeSealer } from '../src/lib/sealer.ts'
import { WEBHOOK_ADDRESS, WEBHOOK_SECRET } from '../src/notifications/purposes.ts'
import { type Client, ORG, SECRET_KEY, type TestApp } from './harness.ts'
import type { Vault } from './planted.ts'
import type { Visitor } from './visitor.ts'

/** Fields of a target to which nothing has been sent yet. */
export const NEW_TARGET_STATE = {
  is_failing: false,
  last_success_at: null,
  last_failure_at: null,
  last_error: null,
  switched_off_at: null,
  delivery_state: 'active',
  paused_until: null,
  paused_because: null,
}

const numbers = new WeakMap<TestApp, Map<string, number>>()

/** Creates one notification per operation, for the environment or the flow of the examples. */
export async function prepareNotification(contract: Contract, where: TestApp, name: string): Promise<void> {
  const targets = [{ type: 'EMAIL', emails: [`${contract.id}@example.com`] }]
  if (contract.path.startsWith('/notification-config/')) {
    await where.admin.put(`/notification-config/${ORG}/api_key_expiry`, { targets })
  }
  const kind = /\/(environments|flows)_notifications/.exec(contract.path)?.[1]
  if (kind === undefined) return
  await where.admin.put(`/environments/${ORG}`, { name: 'production', type: 'K8S', description: name })
  await where.admin.put(`/flows/${ORG}`, { name: 'backend-ci', description: name })
  const about =
    kind === 'flows'
      ? { flows: ['backend-ci'], triggers: ['ON_APPROVAL'] }
      : { environments: ['production'], triggers: ['ON_COMPLIANT_ENV'] }
  const path = `/organizations/${ORG}/${kind}_notifications`
  const { body: made } = await where.admin.put(path, { name, targets, ...about })
  numbers.set(where, (numbers.get(where) ?? new Map<string, number>()).set(contract.id, made.number))
}

export function findNotificationFor(contract: Contract, where: TestApp): Record<string, string> {
  const number = numbers.get(where)?.get(contract.id)
  return number === undefined ? {} : { number: String(number) }
}

/** Adds rows of an org to every notification table, for an existing environment and flow. */
export async function fillNotifications(
  app: TestApp,
  admin: Client,
  org: string,
  environment: string,
  flow: string,
): Promise<void> {
  const path = `/organizations/${org}/environments_notifications`
  const targets = [
    { type: 'WEBHOOK', webhook: `https://hooks.example.com/${org}` },
    { type: 'EMAIL', emails: [`ops@${org}.example`] },
  ]
  const wanted = { name: 'changes', environments: [environment], triggers: ['ON_STARTED_ARTIFACT'], targets }
  const made = await admin.put(path, wanted)
  const configured = await admin.put(`/notification-config/${org}/api_key_expiry`, { targets })
  const sent = await admin.post(`${path}/${made.body.number}/test`)
  const about = { name: 'evidence', flows: [flow], triggers: ['ON_ATTESTATION'], targets }
  const of_flow = await admin.put(`/organizations/${org}/flows_notifications`, about)
  const statuses = [made, configured, sent, of_flow].map(({ status }) => status)
  expect(statuses).toEqual([201, 201, 201, 201])
  await app.sql(
    `insert into delivery_attempts (org_id, job_id, lease_no, attempted_at, duration_ms, error, status, answer)
     select o.org_id, o.job_id, 1, $2, 12, 'The receiver answered 500', 500, 'Oops'
     from outbox o join orgs using (org_id) where orgs.name = $1 and o.event_type = 'TEST'`,
    [org, app.clock.now()],
  )
  await app.sql(
    `insert into delivery_breakers (org_id, target_id, failures, pauses, last_error)
     select t.org_id, t.target_id, 1, 0, 'The receiver answered 500'
     from notification_targets t join orgs using (org_id) where orgs.name = $1`,
    [org],
  )
}

export interface TargetRow {
  target_id: string
  webhook: string | undefined
  secret: string | undefined
  old_secret: string | undefined
  [column: string]: unknown
}

const sealer = makeSealer(SECRET_KEY)
const open = (purpose: string, sealed: unknown) =>
  typeof sealed === 'string' ? sealer.open(purpose, sealed) : undefined

/** The current and former targets of a notification as stored, with their secrets decrypted. */
export async function readTargets(app: TestApp, number: number): Promise<TargetRow[]> {
  const rows = await app.sql(
    `select t.* from notification_targets t join notifications n using (org_id, notification_id)
     where n.number = $1 order by t.position, t.created_at`,
    [number],
  )
  return rows.map(row => ({
    ...row,
    target_id: String(row.target_id),
    webhook: open(WEBHOOK_ADDRESS, row.webhook_sealed),
    secret: open(WEBHOOK_SECRET, row.secret_sealed),
    old_secret: open(WEBHOOK_SECRET, row.old_secret_sealed),
  }))
}

export async function readCurrentTargets(app: TestApp, number: number): Promise<TargetRow[]> {
  return (await readTargets(app, number)).filter(({ removed_at }) => removed_at === null)
}

/** Updates a target as the worker would. */
export async function updateTarget(
  app: TestApp,
  target: TargetRow | undefined,
  columns: string,
): Promise<void> {
  await app.sql(`update notification_targets set ${columns} where target_id = $1`, [target?.target_id])
}

export interface Planting {
  vault: Vault
  admin: Visitor
  member: Visitor
  org: string
  /** The label of the latest response. */
  getLatestLabel(): string
}

/** Saves targets with secrets, reads and tests them, and sends each secret in the wrong fields. */
export async function plantTargets({ vault, admin, member, org, getLatestLabel }: Planting): Promise<void> {
  const [hook, chat] = [randomBytes(24).toString('hex'), randomBytes(24).toString('hex')]
  const key = randomBytes(32).toString('base64')
  const targets = [
    { type: 'WEBHOOK', webhook: `https://hooks.example.com/${hook}`, secret: `whsec_${key}` },
    { type: 'CHAT', webhook: `https://chat.example.com/services/${chat}` },
  ]
  const path = `/api/v2/organizations/${org}/environments_notifications`
  const config = `/api/v2/notification-config/${org}/api_key_expiry`
  const shown: string[] = []
  const asAdmin = async (method: string, at: string, body?: unknown) => {
    const answer = await admin.send(method, at, body)
    expect(answer.status, at).toBeLessThan(300)
    if (answer.text.includes(hook)) shown.push(getLatestLabel())
    return answer
  }
  await asAdmin('PUT', `/api/v2/environments/${org}`, { name: 'noticed', type: 'K8S' })
  const wanted = { name: 'noticed', environments: ['noticed'], triggers: ['ON_COMPLIANT_ENV'], targets }
  const { number } = (await asAdmin('PUT', path, wanted)).body
  await asAdmin('PUT', config, { targets })
  for (const at of [path, `${path}/${number}`, config]) await asAdmin('GET', at)
  await asAdmin('POST', `${path}/${number}/test`)
  const read = [await member.get(path), await member.get(`${path}/${number}`), await member.get(config)]
  for (const { status, text } of read)
    expect([status, text.includes('hooks.example.com')]).toEqual([200, true])
  for (const secret of [
    `whsec_${key}`,
    `https://hooks.example.com/${hook}`,
    `http://chat.example.com/${chat}`,
  ]) {
    await sendMisplaced(member, path, wanted, secret)
    await sendMisplaced(member, `${path}/${number}`, wanted, secret)
    await sendMisplaced(admin, config, {}, secret)
  }
  vault.plant('the address of a webhook', hook, ...shown)
  vault.plant('the address of a chat', chat, ...shown)
  vault.plant('the signing secret of a webhook', key)
}

/** Sends a secret in every field that rejects it. */
async function sendMisplaced(who: Visitor, path: string, body: object, secret: string): Promise<void> {
  const right = { type: 'WEBHOOK', webhook: 'https://hooks.example.com/x' }
  const wrongs = [
    ...[
      { webhook: `ftp${secret}` },
      { ...right, secret: `${secret}.` },
      { ...right, payload_version: secret },
    ],
    ...[
      { ...right, token: secret },
      { ...right, context: secret },
      { type: 'EMAIL', emails: [`${secret}\n`] },
    ],
    ...[
      { type: 'EMAIL', emails: secret },
      { ...right, webhook: `https://localhost/${secret}` },
      [secret],
      secret,
    ],
  ]
  for (const wrong of wrongs)
    expect((await who.send('PUT', path, { ...body, targets: [wrong] })).status).toBe(400)
  for (const more of [{ webhook: secret }, { targets: secret }, { secret }]) {
    expect((await who.send('PUT', path, { ...body, ...more })).status).toBe(400)
  }
}

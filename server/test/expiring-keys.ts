// Expiring API keys for tests: created through the API, scanned for, and the notices that the scan queued.
import { expect } from 'vitest'
import type { Database } from '../src/db/database.ts'
import type { ExpiringKey } from '../src/domain/notification/notice.ts'
import { makeIds } from '../src/lib/ids.ts'
import { makeLog } from '../src/lib/log.ts'
import { makeExpiryScan } from '../src/notifications/key-expiry.ts'
import type { Client, TestApp } from './harness.ts'

const DAY_S = 86_400

/** Helpers that use the shared application of a test file. */
export function makeExpiringKeys(app: () => TestApp) {
  return {
    clear: () => clear(app()),
    scan: (db = app().db) => makeExpiryScan(makeScanParts(app(), db))(),
    passDays: (days: number) => app().clock.advance(days * DAY_S * 1000),
    addDays: (days: number) => addDays(app(), days),
    createAccountKey: (client: Client, account: string, days?: number) =>
      createAccountKey(app(), client, account, days),
    createOwnKey: (client: Client, description: string, days: number) =>
      createOwnKey(app(), client, description, days),
    configure: (...switched_off: boolean[]) => configure(app(), switched_off),
    readSent: () => readSent(app()),
    listSentSummaries: async () => (await readSent(app())).map(summarize),
    readFailure: () => readFailure(app()),
  }
}

export function makeScanParts(app: TestApp, db: Database) {
  return { db, ids: makeIds(app.clock), clock: app.clock, log: makeLog('silent') }
}

/** No expiring keys and no queued notices; only eva, if she exists, has an address. */
async function clear(app: TestApp): Promise<void> {
  await app.sql('delete from outbox')
  await app.sql('delete from service_account_keys')
  await app.sql('delete from service_accounts')
  await app.sql('delete from personal_keys where expires_at is not null')
  await app.sql('delete from notification_targets')
  await app.sql('delete from notification_configs')
  await app.sql("update users set email = null, deactivated_at = null where name <> 'eva'")
  await app.sql("update users set email = 'eva@example.com' where name = 'eva'")
}

function addDays(app: TestApp, days: number): number {
  return Math.floor(app.clock.now().getTime() / 1000) + days * DAY_S
}

/** A key of a service account, created by this client; returns its path. Without days it never expires. */
async function createAccountKey(
  app: TestApp,
  client: Client,
  account: string,
  days?: number,
): Promise<string> {
  await client.post('/service-accounts/acme', { name: account })
  const expires_at = days === undefined ? 0 : addDays(app, days)
  const body = { description: `key of ${account}`, expires_at }
  const made = await client.post(`/service-accounts/acme/${account}/api-keys`, body)
  expect(made.status).toBe(201)
  return `/service-accounts/acme/${account}/api-keys/${made.body.id}`
}

async function createOwnKey(
  app: TestApp,
  client: Client,
  description: string,
  days: number,
): Promise<string> {
  const made = await client.post('/user/api-keys', { description, expires_at: addDays(app, days) })
  expect(made.status).toBe(201)
  return `/user/api-keys/${made.body.id}`
}

/** Adds a target for each value, switched off or not; returns their ids. */
async function configure(app: TestApp, switched_off: readonly boolean[]): Promise<string[]> {
  await app.sql(
    `insert into notification_configs (org_id, notification_type)
     select org_id, 'api_key_expiry' from orgs where name = 'acme' on conflict do nothing`,
  )
  const ids: string[] = []
  for (const [position, is_off] of switched_off.entries()) {
    const [row] = await app.sql(
      `insert into notification_targets (org_id, target_id, notification_type, position, type, emails, switched_off_at,
         created_at)
       select org_id, gen_random_uuid(), 'api_key_expiry', $1, 'EMAIL', array['desk@example.com'], $2, $3
       from orgs where name = 'acme' returning target_id`,
      [position, is_off ? app.clock.now() : null, app.clock.now()],
    )
    ids.push(String(row?.target_id))
  }
  return ids
}

export interface SentNotice {
  org: string | null
  notification_type: string | null
  target_id: string | null
  to: string | null
  keys: ExpiringKey[]
}

/** The queued notices by recipient; those about people's own keys last. */
async function readSent(app: TestApp): Promise<SentNotice[]> {
  const rows = await app.sql(
    `select r.name as org, o.notification_type, o.target_id, o.payload ->> 'to' as to,
       o.payload #> '{notice,keys}' as keys
     from outbox o left join orgs r on r.org_id = o.org_id where o.event_type = 'API_KEY_EXPIRY'
     order by 4, 3, 2, o.job_id`,
  )
  return rows as unknown as SentNotice[]
}

/** The recipient of a notice, and its keys. */
function summarize({ to, target_id, keys }: SentNotice): (string | null)[] {
  return [to ?? target_id, ...keys.map(({ owner, notice }) => `${owner} ${notice}`)]
}

async function readFailure(app: TestApp): Promise<Record<string, unknown> | undefined> {
  const rows = await app.sql(
    'select last_failed_at, last_error from notification_configs where last_error is not null',
  )
  return rows[0]
}

// Deliveries for tests: messages in the outbox as the service stores them, their targets and their results.
import type { Contract } from '../src/api/operation.ts'
import { enqueueDeliveries, type NewDelivery } from '../src/delivery/outbox.ts'
import type { Notice, TestNotice } from '../src/domain/notification/notice.ts'
import { type Ids, makeIds, parseWireId, toWireId } from '../src/lib/ids.ts'
import { makeSealer } from '../src/lib/sealer.ts'
import { WEBHOOK_ADDRESS } from '../src/notifications/purposes.ts'
import { ORG, SECRET_KEY, type TestApp } from './harness.ts'

/** Uses the secret key of `startTestApp`. */
const sealer = makeSealer(SECRET_KEY)

/** One generator per application, so that ids sort in the order of creation. */
const generators = new WeakMap<TestApp, Ids>()

function makeId(app: TestApp): string {
  const ids = generators.get(app) ?? makeIds(app.clock)
  generators.set(app, ids)
  return ids.next()
}

async function readOrgId(app: TestApp, name = ORG): Promise<string> {
  return String((await app.sql('select org_id from orgs where name = $1', [name]))[0]?.org_id)
}

/** An environment notification with only a number and a name. */
export async function addNotification(app: TestApp, number: number, name: string): Promise<string> {
  const [row] = await app.sql(
    `insert into notifications (org_id, notification_id, number, name, triggers, created_by, created_at, last_modified_at)
     values ($1, gen_random_uuid(), $2, $3, '{}', 'max', $4, $4) returning notification_id`,
    [await readOrgId(app), number, name, app.clock.now()],
  )
  return String(row?.notification_id)
}

export interface PlacedTarget {
  /** Null for a target of notices about API keys. */
  notification_id: string | null
  webhook?: string
  emails?: string[]
}

export async function addTarget(app: TestApp, target: PlacedTarget): Promise<string> {
  const { notification_id, webhook, emails } = target
  const org_id = await readOrgId(app)
  const notification_type = notification_id === null ? 'api_key_expiry' : null
  if (notification_type) {
    await app.sql('insert into notification_configs values ($1, $2) on conflict do nothing', [
      org_id,
      notification_type,
    ])
  }
  const [row] = await app.sql(
    `insert into notification_targets (org_id, target_id, notification_id, notification_type, position, type,
       webhook_sealed, emails, created_at)
     values ($1, gen_random_uuid(), $2, $3, 0, $4, $5, $6, $7) returning target_id`,
    [
      org_id,
      notification_id,
      notification_type,
      webhook === undefined ? 'EMAIL' : 'WEBHOOK',
      webhook === undefined ? null : sealer.seal(WEBHOOK_ADDRESS, webhook),
      emails ?? null,
      app.clock.now(),
    ],
  )
  return String(row?.target_id)
}

export function makeTestNotice(app: TestApp, org = ORG): TestNotice {
  const happened_at = app.clock.now().getTime() / 1000
  return { about: 'test', event_type: 'TEST', org, happened_at, asked_by: 'max', notification: null }
}

export interface PlacedDelivery extends Partial<Omit<NewDelivery, 'payload'>> {
  org?: string
  notice?: Notice
  to?: string
  outcome?: 'pending' | 'delivered' | 'failed'
}

/** Returns the id as the API shows it. */
export async function addDelivery(app: TestApp, placed: PlacedDelivery = {}): Promise<string> {
  const { org = ORG, notice = makeTestNotice(app, org), to, outcome = 'pending' } = placed
  const { job_id = makeId(app), notification_id = null, notification_type = null } = placed
  const { event_type = notice.event_type, target_id = null } = placed
  const payload = to === undefined ? { notice } : { notice, to }
  const delivery = { job_id, event_type, notification_id, notification_type, target_id, payload }
  const org_id = await readOrgId(app, org)
  await app.db.withTransaction({ org_id }, tx => enqueueDeliveries(tx, org_id, [delivery], app.clock.now()))
  if (outcome !== 'pending') {
    const error = outcome === 'failed' ? 'The receiver answered 500' : null
    await app.sql(
      'update outbox set attempts = 2, lease_no = 2, finished_at = $2, last_error = $3 where job_id = $1',
      [job_id, app.clock.now(), error],
    )
  }
  return toWireId(job_id)
}

export async function addAttempt(
  app: TestApp,
  delivery_id: string,
  attempt: { lease_no: number; error: string | null; status: number | null; answer: string | null },
): Promise<void> {
  await app.sql(
    `insert into delivery_attempts (org_id, job_id, lease_no, attempted_at, duration_ms, error, status, answer)
     select org_id, job_id, $2, $3, 120, $4, $5, $6 from outbox where job_id = $1`,
    [
      parseWireId(delivery_id),
      attempt.lease_no,
      app.clock.now(),
      attempt.error,
      attempt.status,
      attempt.answer,
    ],
  )
}

const FAILED_IN_A_RANGE = '019cb35a-7c00-7000-8000-000000020000'

/** The failed delivery that an operation works on, reset if a test has changed it. */
export async function prepareDelivery({ path, example }: Contract, app: TestApp): Promise<void> {
  if (!path.startsWith('/notification-deliveries/')) return
  const job_id = parseWireId(example?.params?.delivery_id ?? '') ?? FAILED_IN_A_RANGE
  await app.sql('delete from outbox where job_id = $1', [job_id])
  await addDelivery(app, { job_id, to: 'ada@example.com', outcome: 'failed' })
}

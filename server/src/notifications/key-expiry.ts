// Notifies people of API keys that expire soon. The messages and the record of sending them are committed together,
// so that several processes may scan at once, a killed one leaves nothing half done, and no key is announced twice.
import type { Database, Db } from '../db/database.ts'
import { enqueueDeliveries, type NewDelivery } from '../delivery/outbox.ts'
import { computeHorizons, type ExpiryNotice, findDueNotice } from '../domain/notification/key-expiry.ts'
import type { ExpiringKey } from '../domain/notification/notice.ts'
import type { Clock } from '../lib/clock.ts'
import type { Ids } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import * as store from './key-expiry-store.ts'

const MS_PER_SECOND = 1000
/** Wait until the next scan after one that partly failed. */
const AFTER_FAILURE_S = 60
const NO_ADDRESS = 'No recipient has a mail address'
const ALL_SWITCHED_OFF = 'Every target is switched off'

export interface ExpiryScanParts {
  db: Database
  ids: Ids
  clock: Clock
  log: Log
}

export interface ExpiryScans {
  stop(): Promise<void>
}

/** Starts the first scan at once; when stopped, it finishes the current organization. */
export function startExpiryScans(parts: ExpiryScanParts, every_s: number): ExpiryScans {
  let stopping = false
  let wake: () => void = () => undefined
  async function runLoop(): Promise<void> {
    while (!stopping) {
      const is_complete = await scan(parts, () => stopping)
      if (stopping) return
      const wait_s = is_complete ? every_s : Math.min(every_s, AFTER_FAILURE_S)
      await new Promise<void>(resolve => {
        wake = resolve
        setTimeout(resolve, wait_s * MS_PER_SECOND).unref()
      })
    }
  }
  const running = runLoop()
  return {
    stop: async () => {
      stopping = true
      wake()
      await running
    },
  }
}

/** Scans all keys once. */
export function makeExpiryScan(parts: ExpiryScanParts): () => Promise<void> {
  return async () => {
    await scan(parts, () => false)
  }
}

/** False if a notification failed: unmarked keys are found again by the next scan. */
async function scan(parts: ExpiryScanParts, isStopping: () => boolean): Promise<boolean> {
  const { db, clock, log } = parts
  let failures = 0
  const attempt = async (work: () => Promise<void>) => {
    if (isStopping()) return
    try {
      await work()
    } catch (error) {
      failures += 1
      // A failure for one owner must not affect the others; the next scan tries again.
      log.warn({ err: error }, 'expiring keys could not be announced')
    }
  }
  await attempt(async () => {
    const now = clock.now()
    const horizons = { now, ...computeHorizons(now) }
    const { org_ids, user_ids } = await store.findExpiringOwners(db, horizons)
    for (const org_id of org_ids) await attempt(() => notifyOrg(parts, org_id, horizons))
    for (const user_id of user_ids) await attempt(() => notifyOwner(parts, user_id, horizons))
  })
  return failures === 0
}

/** Announces the keys of the service accounts of one organization. */
async function notifyOrg(
  { db, ids }: ExpiryScanParts,
  org_id: string,
  horizons: store.Horizons,
): Promise<void> {
  const { now } = horizons
  await db.withTransaction({ org_id }, async tx => {
    const org = await store.lockOrg(tx, org_id)
    const due = listDueKeys(await store.lockAccountKeys(tx, org_id, horizons), now)
    if (org === undefined || due.length === 0) return
    const { messages, error } = await buildMessages(tx, org_id, due)
    const notification_type = store.KEY_EXPIRY
    const deliveries = messages.map(message => buildDelivery(ids, { org, now, notification_type }, message))
    await enqueueDeliveries(tx, org_id, deliveries, now)
    const notified = new Set(messages.flatMap(({ keys }) => keys))
    await saveNotices(notified, (notice, key_ids) => store.saveAccountKeyNotice(tx, org_id, notice, key_ids))
    if (error !== undefined) await store.saveFailure(tx, org_id, now, error)
  })
}

/** Announces a person's own keys to that person, whatever their organizations have configured. */
async function notifyOwner(
  { db, ids }: ExpiryScanParts,
  user_id: string,
  horizons: store.Horizons,
): Promise<void> {
  const { now } = horizons
  const personalOrg = await store.findPersonalOrg(db, user_id)
  // Without a personal organization the message is queued under the user's own id, which no other member can see.
  const org_id = personalOrg?.org_id ?? user_id
  await db.withTransaction({ user_id, org_id }, async tx => {
    const owner = await store.lockOwner(tx, user_id)
    if (!owner) return
    const due = listDueKeys(await store.lockPersonalKeys(tx, user_id, horizons), now)
    if (due.length === 0) return
    const context = { org: personalOrg?.name ?? owner.name, now, notification_type: null }
    const message = { target_id: null, to: owner.email, is_personal: true, keys: due }
    await enqueueDeliveries(tx, org_id, [buildDelivery(ids, context, message)], now)
    await saveNotices(new Set(due), (notice, key_ids) =>
      store.savePersonalKeyNotice(tx, user_id, notice, key_ids),
    )
  })
}

interface DueKey extends store.KeyRow {
  expires_at: Date
  notice: ExpiryNotice
}

/** Earliest expiry first. */
function listDueKeys(rows: readonly store.KeyRow[], now: Date): DueKey[] {
  const due = rows.flatMap(row => {
    const { expires_at } = row
    const notice = findDueNotice({ ...row, expiry_notice: row.expiry_notice as ExpiryNotice | null }, now)
    return notice === undefined || expires_at === null ? [] : [{ ...row, expires_at, notice }]
  })
  return due.sort(
    (a, b) =>
      a.expires_at.getTime() - b.expires_at.getTime() || (a.owner < b.owner ? -1 : +(a.owner > b.owner)),
  )
}

interface Message {
  target_id: string | null
  /** The mail address of a derived recipient. */
  to?: string
  is_personal: boolean
  keys: readonly DueKey[]
}

/** The targets configured by the organization, or else its admins and the creators of the keys. */
async function buildMessages(
  tx: Db,
  org_id: string,
  due: readonly DueKey[],
): Promise<{ messages: Message[]; error: string | undefined }> {
  const configured = await store.listTargets(tx, org_id)
  if (configured.length > 0) {
    const working = configured.filter(({ switched_off_at }) => switched_off_at === null)
    const messages = working.map(({ target_id }) => ({ target_id, is_personal: false, keys: due }))
    return { messages, error: working.length === 0 ? ALL_SWITCHED_OFF : undefined }
  }
  const creators = new Set(due.map(({ created_by }) => created_by))
  const recipients = await store.findRecipients(tx, org_id, [...creators])
  const messages = recipients.map(({ name, email, role }) => ({
    target_id: null,
    to: email,
    is_personal: false,
    keys: role === 'admin' ? due : due.filter(({ created_by }) => created_by === name),
  }))
  const notified = new Set(messages.flatMap(({ keys }) => keys))
  return { messages, error: due.every(key => notified.has(key)) ? undefined : NO_ADDRESS }
}

interface MessageContext {
  org: string
  now: Date
  notification_type: string | null
}

function buildDelivery(
  ids: Ids,
  context: MessageContext,
  { target_id, to, is_personal, keys }: Message,
): NewDelivery {
  const { org, now, notification_type } = context
  const event_type = 'API_KEY_EXPIRY'
  const expiring = keys.map(key => buildExpiringKey(key, is_personal))
  const notice = { about: 'api_keys', event_type, org, happened_at: toEpoch(now), keys: expiring } as const
  const payload = to === undefined ? { notice } : { notice, to }
  return { job_id: ids.next(), event_type, notification_id: null, notification_type, target_id, payload }
}

function buildExpiringKey(key: DueKey, is_personal: boolean): ExpiringKey {
  const { owner, description, hint, notice } = key
  const last_used_at = key.last_used_at && toEpoch(key.last_used_at)
  return { owner, is_personal, description, hint, expires_at: toEpoch(key.expires_at), last_used_at, notice }
}

async function saveNotices(
  notified: ReadonlySet<DueKey>,
  save: (notice: ExpiryNotice, key_ids: string[]) => Promise<void>,
): Promise<void> {
  for (const notice of ['first', 'last'] as const) {
    await save(
      notice,
      [...notified].filter(key => key.notice === notice).map(({ key_id }) => key_id),
    )
  }
}

function toEpoch(time: Date): number {
  return time.getTime() / MS_PER_SECOND
}

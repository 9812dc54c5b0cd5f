// Finds, lists, deletes and tests notifications of both kinds, for environments and for flows. notification-writes.ts
// creates and replaces them.
import type { Db } from '../../db/database.ts'
import type { EventKind } from '../../events/kinds.ts'
import { recordEvent } from '../../events/record.ts'
import { type AppError, type FieldErrors, invalid, notFound } from '../../lib/errors.ts'
import type { Sealer } from '../../lib/sealer.ts'
import { formatInput } from '../../lib/sentences.ts'
import type { Caller, CallerOrg, Deps } from '../operation.ts'
import * as store from './notifications-store.ts'
import { buildPagination, readPageRequest, toSlice } from './page.ts'
import { summarizeTargets } from './targets.ts'
import { saveTargets, type TargetOwner } from './targets-store.ts'
import { sendTest, type TestRequest } from './test-notice.ts'

const DEFAULT_PER_PAGE = 20

/** An environment or a flow found by name, locked so that nobody can archive it meanwhile. */
export interface LockedSubject {
  wanted: string
  subject_id: string
  name: string
  archived_at: Date | null
}

export interface NotificationKind {
  type: store.NotificationType
  /** The request field with the names of its environments or flows. */
  field: 'environments' | 'flows'
  noun: 'Environment' | 'Flow'
  events: { created: EventKind; updated: EventKind; deleted: EventKind }
  /** Unknown names are missing from the result. */
  lock(tx: Db, org_id: string, names: string[]): Promise<LockedSubject[]>
  /** Replaces the subjects, in this order. */
  set(tx: Db, org_id: string, notification_id: string, subject_ids: string[]): Promise<void>
}

/** The part of a request that a write needs. */
export interface RequestContext {
  org: CallerOrg
  caller: Caller
  now: Date
  request_id: string
}

/** Never contains more of an address than its origin. */
export function summarizeNotification(
  { field }: NotificationKind,
  { number, name, about, triggers, targets }: store.NotificationRow,
  sealer: Sealer,
): Record<string, unknown> {
  return { number, name, [field]: about, triggers, targets: summarizeTargets(targets, sealer) }
}

export function toTargetOwner({ notification_id }: { notification_id: string }): TargetOwner {
  return { notification_id, notification_type: null }
}

export function noSuchNotification(number: number, org: string): AppError {
  return notFound(`Notification number ${number} does not exist for organization '${org}'`)
}

/** Locks the notification until the end of the transaction. Throws a 404 if it does not exist. */
export async function requireNotification(
  tx: Db,
  { type }: NotificationKind,
  org: CallerOrg,
  number: number,
): Promise<store.NotificationRow> {
  const row = await store.lockNotification(tx, org.org_id, type, number)
  if (!row) throw noSuchNotification(number, org.name)
  return row
}

/** Locks the named environments or flows, each once. Throws a 400 that lists every unknown or archived name. */
export async function requireSubjects(
  tx: Db,
  { field, noun, lock }: NotificationKind,
  org: CallerOrg,
  names: readonly string[],
): Promise<LockedSubject[]> {
  const found = await lock(tx, org.org_id, [...new Set(names)])
  const byName = new Map(found.map(subject => [subject.wanted, subject]))
  const errors: FieldErrors = {}
  for (const [place, name] of names.entries()) {
    const subject = byName.get(name)
    if (subject && subject.archived_at === null) continue
    const what = subject ? 'has been archived' : 'does not exist'
    errors[`${field}[${place}]`] =
      `${noun} named '${formatInput(name)}' ${what} for organization '${org.name}'`
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  // Keeps the order of the names. A former and a current name can refer to the same subject.
  const ordered = names.flatMap(name => byName.get(name) ?? [])
  return [...new Map(ordered.map(subject => [subject.subject_id, subject])).values()]
}

/** All of them, newest first, or one page if the query asks for a page. */
export async function listNotifications<Shown>(
  { type }: NotificationKind,
  { query, org }: { query: Parameters<typeof readPageRequest>[0]; org: CallerOrg },
  { db }: Deps,
  show: (row: store.NotificationRow) => Shown,
) {
  const page = readPageRequest(query, DEFAULT_PER_PAGE)
  if (!page) return (await store.listNotifications(db, org.org_id, type)).map(show)
  const { rows, total } = await db.withTransaction({ org_id: org.org_id }, tx =>
    store.listNotificationsPage(tx, org.org_id, type, toSlice(page)),
  )
  return { data: rows.map(show), pagination: buildPagination(page, total) }
}

export async function getNotification(
  { type }: NotificationKind,
  { params, org }: { params: { number: number }; org: CallerOrg },
  { db }: Deps,
): Promise<store.NotificationRow> {
  const row = await store.findNotificationOnce(db, org.org_id, type, params.number)
  if (!row) throw noSuchNotification(params.number, org.name)
  return row
}

export async function deleteNotification(
  tx: Db,
  kind: NotificationKind,
  request: RequestContext & { params: { number: number } },
  { ids, sealer }: Deps,
): Promise<void> {
  const { params, org, now } = request
  const row = await requireNotification(tx, kind, org, params.number)
  await store.deleteNotification(tx, org.org_id, row.notification_id, now)
  const removed = row.targets.map(({ target_id }) => target_id)
  await saveTargets(tx, org.org_id, toTargetOwner(row), { added: [], kept: [], removed }, now)
  await recordEvent(tx, request, ids, {
    kind: kind.events.deleted,
    data: summarizeNotification(kind, row, sealer),
    row_ids: { notification: row.notification_id },
  })
}

/** Returns the ids of the jobs. */
export async function testNotification(
  tx: Db,
  kind: NotificationKind,
  request: TestRequest & { params: { number: number } },
  deps: Deps,
): Promise<string[]> {
  const row = await requireNotification(tx, kind, request.org, request.params.number)
  const { number, name, targets } = row
  return sendTest(tx, request, deps, { owner: toTargetOwner(row), notification: { number, name }, targets })
}

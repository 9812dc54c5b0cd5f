// What both kinds of notification have in common, whether they are about environments or about flows: how one is found,
// shown in a list, deleted and tried. How one is made and changed is in notification-writes.ts.
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

const USUAL_PER_PAGE = 20

/** An environment or a flow that a name means, held so that nobody archives it meanwhile. */
export interface LockedSubject {
  wanted: string
  subject_id: string
  name: string
  archived_at: Date | null
}

export interface NotificationKind {
  type: store.NotificationType
  /** The field with the names of what it is about. */
  field: 'environments' | 'flows'
  noun: 'Environment' | 'Flow'
  events: { created: EventKind; updated: EventKind; deleted: EventKind }
  /** A name that means none is not answered. */
  lock(tx: Db, org_id: string, names: string[]): Promise<LockedSubject[]>
  /** In this order, and nothing else. */
  set(tx: Db, org_id: string, notification_id: string, subject_ids: string[]): Promise<void>
}

/** The part of a request that a write needs. */
export interface RequestContext {
  org: CallerOrg
  caller: Caller
  now: Date
  request_id: string
}

/** Never with more of an address than its origin. */
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

/** Held until the end of the transaction, or the refusal. */
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

/** What these names mean, each once, or a refusal that tells of every name that means none. */
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
  // In the order of the names. A former name and the current one may mean the same.
  const ordered = names.flatMap(name => byName.get(name) ?? [])
  return [...new Map(ordered.map(subject => [subject.subject_id, subject])).values()]
}

/** All of them, newest first, or a page when one is asked for. */
export async function listNotifications<Shown>(
  { type }: NotificationKind,
  { query, org }: { query: Parameters<typeof readPageRequest>[0]; org: CallerOrg },
  { db }: Deps,
  show: (row: store.NotificationRow) => Shown,
) {
  const page = readPageRequest(query, USUAL_PER_PAGE)
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
  })
}

/** Answers the ids of the jobs. */
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

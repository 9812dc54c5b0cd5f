// Creates and replaces notifications, for environments and for flows.
import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../../db/database.ts'
import { recordEvent } from '../../events/record.ts'
import { assert } from '../../lib/assert.ts'
import { accessDenied } from '../../lib/errors.ts'
import { hasSameItems } from '../../lib/same-items.ts'
import type { Sealer } from '../../lib/sealer.ts'
import type { Deps } from '../operation.ts'
import {
  type LockedSubject,
  type NotificationKind,
  noSuchNotification,
  type RequestContext,
  requireNotification,
  requireSubjects,
  summarizeNotification,
  toTargetOwner,
} from './notifications.ts'
import * as store from './notifications-store.ts'
import { lockOrgDetails } from './org-details-store.ts'
import { computeTargetChanges, hasSameTargets, type ParsedTarget, readTargets } from './target-changes.ts'
import type { TargetInput } from './targets.ts'
import { saveTargets, type TargetChanges } from './targets-store.ts'

interface NotificationRequest extends RequestContext {
  body: { name: string; triggers: readonly string[]; targets: readonly TargetInput[] }
  client_words: ReadonlyMap<string, string>
  url: string
}

interface NotificationInput {
  name: string
  triggers: string[]
  subjects: readonly LockedSubject[]
  targets: readonly ParsedTarget[]
}

/** Creates a notification with the next number of the org, or returns an identical one that exists. */
export async function createNotification(
  tx: Db,
  kind: NotificationKind,
  request: NotificationRequest,
  about: readonly string[],
  deps: Deps,
): Promise<{ row: store.NotificationRow; isNew: boolean }> {
  const { org, url, body } = request
  const input = await readInput(tx, kind, request, about, deps)
  // The lock serializes creation, so the second of two identical concurrent requests finds the first.
  if (!(await lockOrgDetails(tx, org.org_id))) throw accessDenied(url.slice(deps.base_url.length))
  const known = await store.listNotificationsByName(tx, org.org_id, kind.type, body.name)
  const same = known.find(row => matchesInput(input, row, deps.sealer))
  if (same) return { row: same, isNew: false }
  return { row: await create(tx, kind, request, input, deps), isNew: true }
}

/** Replaces every field. Writes nothing and records no event if nothing changes. */
export async function replaceNotification(
  tx: Db,
  kind: NotificationKind,
  request: NotificationRequest & { params: { number: number } },
  about: readonly string[],
  deps: Deps,
): Promise<store.NotificationRow> {
  const { params, org } = request
  // A missing notification is reported before problems of the body. Its subjects are locked first, as everywhere.
  if (!(await store.findNotification(tx, org.org_id, kind.type, params.number))) {
    throw noSuchNotification(params.number, org.name)
  }
  const input = await readInput(tx, kind, request, about, deps)
  const before = await requireNotification(tx, kind, org, params.number)
  const targets = computeTargetChanges(input.targets, before.targets, deps, request.now)
  const changes = listChangedFields(kind, before, input, targets)
  if (changes.length === 0) return before
  return change(tx, kind, request, { before, input, targets, changes }, deps)
}

async function readInput(
  tx: Db,
  kind: NotificationKind,
  { org, body, client_words }: NotificationRequest,
  about: readonly string[],
  { egressAllow }: Deps,
): Promise<NotificationInput> {
  const targets = readTargets(body.targets, client_words, egressAllow)
  const subjects = await requireSubjects(tx, kind, org, about)
  return { name: body.name, triggers: [...new Set(body.triggers)], subjects, targets }
}

/** Whether a create request describes exactly this notification: clients retry when they get no response. */
function matchesInput(input: NotificationInput, row: store.NotificationRow, sealer: Sealer): boolean {
  return (
    hasSameItems(input.triggers, row.triggers) &&
    hasSameItems(getNames(input.subjects), row.about) &&
    hasSameTargets(input.targets, row.targets, sealer)
  )
}

async function create(
  tx: Db,
  kind: NotificationKind,
  context: RequestContext,
  { name, triggers, subjects, targets }: NotificationInput,
  deps: Deps,
): Promise<store.NotificationRow> {
  const { org, caller, now } = context
  const { org_id } = org
  const notification_id = deps.ids.next()
  const made = { notification_id, type: kind.type, name, triggers, created_by: caller.name, now }
  const number = await store.insertNotification(tx, org_id, made)
  assert(number !== undefined, 'the org is locked')
  await kind.set(tx, org_id, notification_id, getIds(subjects))
  const changes = computeTargetChanges(targets, [], deps, now)
  assert(changes, 'there is at least one target')
  await saveTargets(tx, org_id, toTargetOwner(made), changes, now)
  const row = await store.findNotification(tx, org_id, kind.type, number)
  assert(row, 'it was just stored')
  await recordEvent(tx, context, deps.ids, {
    kind: kind.events.created,
    data: summarizeNotification(kind, row, deps.sealer),
    row_ids: { notification: notification_id },
  })
  return row
}

interface Change {
  before: store.NotificationRow
  input: NotificationInput
  /** Undefined if they do not change. */
  targets: TargetChanges | undefined
  changes: string[]
}

async function change(
  tx: Db,
  kind: NotificationKind,
  context: RequestContext,
  { before, input, targets, changes }: Change,
  deps: Deps,
): Promise<store.NotificationRow> {
  const { org, now } = context
  const { notification_id, number } = before
  const { name, triggers, subjects } = input
  await store.updateNotification(tx, org.org_id, { notification_id, name, triggers, now })
  await kind.set(tx, org.org_id, notification_id, getIds(subjects))
  if (targets) await saveTargets(tx, org.org_id, toTargetOwner(before), targets, now)
  const row = await store.findNotification(tx, org.org_id, kind.type, number)
  assert(row, 'a locked notification cannot disappear')
  const data = { ...summarizeNotification(kind, row, deps.sealer), changes }
  await recordEvent(tx, context, deps.ids, {
    kind: kind.events.updated,
    data,
    row_ids: { notification: notification_id },
  })
  return row
}

function listChangedFields(
  { field }: NotificationKind,
  before: store.NotificationRow,
  input: NotificationInput,
  targets: TargetChanges | undefined,
): string[] {
  return [
    ...(input.name === before.name ? [] : ['name']),
    ...(isDeepStrictEqual(getNames(input.subjects), before.about) ? [] : [field]),
    ...(isDeepStrictEqual(input.triggers, before.triggers) ? [] : ['triggers']),
    ...(targets ? ['targets'] : []),
  ]
}

function getNames(subjects: readonly LockedSubject[]): string[] {
  return subjects.map(({ name }) => name)
}

function getIds(subjects: readonly LockedSubject[]): string[] {
  return subjects.map(({ subject_id }) => subject_id)
}

// Reads the body of a request that creates or replaces a notification.
import type { Db } from '../../db/database.ts'
import { type FieldErrors, invalid } from '../../lib/errors.ts'
import { formatInput } from '../../lib/sentences.ts'
import type { CallerOrg, Deps } from '../operation.ts'
import { type ParsedTarget, readTargets } from '../shared/target-changes.ts'
import type { NotificationKind } from './kinds.ts'
import type { LockedSubject } from './locked-subject.ts'
import type { RequestContext } from './notifications.ts'
import { getSubjectNames, type NotificationPut } from './wire.ts'

export interface NotificationRequest extends RequestContext {
  body: NotificationPut
  client_words: ReadonlyMap<string, string>
  url: string
}

export interface NotificationInput {
  name: string
  triggers: string[]
  subjects: readonly LockedSubject[]
  targets: readonly ParsedTarget[]
}

export async function readInput(
  tx: Db,
  kind: NotificationKind,
  { org, body, client_words }: NotificationRequest,
  { egressAllow }: Deps,
): Promise<NotificationInput> {
  const targets = readTargets(body.targets, client_words, egressAllow)
  const subjects = await requireSubjects(tx, kind, org, getSubjectNames(body))
  return { name: body.name, triggers: [...new Set(body.triggers)], subjects, targets }
}

/** Locks the named environments or flows, each once. Throws a 400 that lists every unknown or archived name. */
async function requireSubjects(
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

export function getNames(subjects: readonly LockedSubject[]): string[] {
  return subjects.map(({ name }) => name)
}

export function getIds(subjects: readonly LockedSubject[]): string[] {
  return subjects.map(({ subject_id }) => subject_id)
}

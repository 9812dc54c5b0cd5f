// What can be wrong with an environment notification.
import type { Db } from '../../db/database.ts'
import { type AppError, type FieldErrors, invalid, notFound } from '../../lib/errors.ts'
import { shown } from '../../lib/sentences.ts'
import type { CallerOrg } from '../operation.ts'
import * as store from './store.ts'

export function noSuchNotification(number: number, org: string): AppError {
  return notFound(`Notification number ${number} does not exist for organization '${org}'`)
}

/** Held until the end of the transaction, or the refusal. */
export async function requireNotification(
  tx: Db,
  org: CallerOrg,
  number: number,
): Promise<store.NotificationRow> {
  const row = await store.holdNotification(tx, org.org_id, number)
  if (!row) throw noSuchNotification(number, org.name)
  return row
}

/** The environments of these names, each once, or a refusal that tells of every name that means none. */
export async function requireEnvironments(
  tx: Db,
  org: CallerOrg,
  names: readonly string[],
): Promise<store.HeldEnvironment[]> {
  const found = await store.holdEnvironments(tx, org.org_id, [...new Set(names)])
  const byName = new Map(found.map(environment => [environment.wanted, environment]))
  const errors: FieldErrors = {}
  for (const [place, name] of names.entries()) {
    const environment = byName.get(name)
    if (environment && environment.archived_at === null) continue
    const what = environment ? 'has been archived' : 'does not exist'
    errors[`environments[${place}]`] =
      `Environment named '${shown(name)}' ${what} for organization '${org.name}'`
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  // In the order of the names. A former name and the current one may mean the same.
  const ordered = names.flatMap(name => byName.get(name) ?? [])
  return [...new Map(ordered.map(environment => [environment.environment_id, environment])).values()]
}

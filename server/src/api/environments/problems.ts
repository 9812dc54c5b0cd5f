// What can be wrong with an environment, in the words existing clients compare.
import type { Db } from '../../db/database.ts'
import { type AppError, notFound } from '../../lib/errors.ts'
import { parseWireId } from '../../lib/ids.ts'
import type { CallerOrg } from '../operation.ts'
import { toEpoch } from '../shared/wire.ts'
import { type EnvironmentRow, findEnvironment, type LockedEnvironment, lockEnvironment } from './store.ts'

export function noSuchEnvironment(env_name: string, org: string): AppError {
  return notFound(`Environment named '${env_name}' does not exist for organization '${org}'`)
}

export function archivedEnvironment(env_name: string, org: string): AppError {
  return notFound(`Environment named '${env_name}' has been archived for organization '${org}'`)
}

/** What an archived environment goes by when another takes its name. */
export function buildArchivedName(name: string, archived_at: Date): string {
  // To the millisecond: two of one name, archived in the same second, must both find a place.
  return `${name}-archived-at-${toEpoch(archived_at)}`
}

/** The environment a name means, or the refusal; one that is archived only for a caller who asks for it. */
export async function requireEnvironment(
  tx: Db,
  org: CallerOrg,
  env_name: string,
  archived = false,
): Promise<EnvironmentRow> {
  return requireActive(await findEnvironment(tx, org.org_id, env_name), org.name, env_name, archived)
}

/** The same, and nobody else changes it until the transaction ends. */
export async function requireLockedEnvironment(
  tx: Db,
  org: CallerOrg,
  env_name: string,
): Promise<LockedEnvironment> {
  return requireActive(await lockEnvironment(tx, org.org_id, env_name), org.name, env_name)
}

/** What was found, unless it is nothing, or archived and asked for by its name alone. */
export function requireActive<T extends { archived_at: Date | null }>(
  found: T | undefined,
  org: string,
  env_name: string,
  archived = false,
): T {
  if (!found) throw noSuchEnvironment(env_name, org)
  if (found.archived_at && !archived && !parseWireId(env_name)) throw archivedEnvironment(env_name, org)
  return found
}

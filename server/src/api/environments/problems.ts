// Finds environments by name, and the errors if there are none. Existing clients compare these sentences.
import type { Db } from '../../db/database.ts'
import { type AppError, notFound } from '../../lib/errors.ts'
import { parseWireId } from '../../lib/ids.ts'
import type { NamedOrg } from '../operation.ts'
import { listPhysicalEnvironments } from '../shared/members-store.ts'
import { toEpoch } from '../shared/wire.ts'
import { type EnvironmentRow, findEnvironment, type LockedEnvironment, lockEnvironment } from './store.ts'

export function noSuchEnvironment(env_name: string, org: string): AppError {
  return notFound(`Environment named '${env_name}' does not exist for organization '${org}'`)
}

function archivedEnvironment(env_name: string, org: string): AppError {
  return notFound(`Environment named '${env_name}' has been archived for organization '${org}'`)
}

/** The name of an archived environment after another one takes its name. */
export function buildArchivedName(name: string, archived_at: Date): string {
  // With milliseconds: two environments of one name, archived in the same second, need different names.
  return `${name}-archived-at-${toEpoch(archived_at)}`
}

/** Finds an environment by name or throws. Finds archived ones only if the caller requests them. */
export async function requireEnvironment(
  tx: Db,
  org: NamedOrg,
  env_name: string,
  archived = false,
): Promise<EnvironmentRow> {
  return requireActive(await findEnvironment(tx, org.org_id, env_name), org.name, env_name, archived)
}

/** Finds an environment and locks it until the transaction ends. */
export async function requireLockedEnvironment(
  tx: Db,
  org: NamedOrg,
  env_name: string,
): Promise<LockedEnvironment> {
  return requireActive(await lockEnvironment(tx, org.org_id, env_name), org.name, env_name)
}

/**
 * Throws if nothing was found, or if it is archived and the caller neither requested archived ones nor used its id.
 */
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

/**
 * The ids of the named environment, or of its members if it is logical. Without a name, null for all environments.
 */
export async function requirePhysicalEnvironments(
  tx: Db,
  org: NamedOrg,
  { env_name, archived }: { env_name?: string; archived?: boolean },
): Promise<string[] | null> {
  if (env_name === undefined) return null
  const environment = await requireEnvironment(tx, org, env_name, archived)
  const sources = await listPhysicalEnvironments(tx, org.org_id, environment)
  return sources.map(({ environment_id }) => environment_id)
}

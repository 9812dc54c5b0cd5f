// What can be wrong with an environment, in the words existing clients compare.
import type { Db } from '../../db/database.ts'
import { type AppError, notFound } from '../../lib/errors.ts'
import type { CallerOrg } from '../operation.ts'
import { type EnvironmentRow, findEnvironment, type LockedEnvironment, lockEnvironment } from './store.ts'

export function noSuchEnvironment(env_name: string, org: string): AppError {
  return notFound(`Environment named '${env_name}' does not exist for organization '${org}'`)
}

export function archivedEnvironment(env_name: string, org: string): AppError {
  return notFound(`Environment named '${env_name}' has been archived for organization '${org}'`)
}

/** The environment a name means, or the refusal. */
export async function requireEnvironment(tx: Db, org: CallerOrg, env_name: string): Promise<EnvironmentRow> {
  return live(await findEnvironment(tx, org.org_id, env_name), org.name, env_name)
}

/** The same, and nobody else changes it until the transaction ends. */
export async function holdEnvironment(tx: Db, org: CallerOrg, env_name: string): Promise<LockedEnvironment> {
  return live(await lockEnvironment(tx, org.org_id, env_name), org.name, env_name)
}

/** What was found under a name, unless it is nothing or archived. */
export function live<T extends { archived_at: Date | null }>(
  found: T | undefined,
  org: string,
  env_name: string,
): T {
  if (!found) throw noSuchEnvironment(env_name, org)
  if (found.archived_at) throw archivedEnvironment(env_name, org)
  return found
}

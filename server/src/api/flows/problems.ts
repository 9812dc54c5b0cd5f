// Errors about flows. Existing clients compare these sentences.
import type { Db } from '../../db/database.ts'
import { type AppError, notFound } from '../../lib/errors.ts'
import type { NamedOrg } from '../operation.ts'
import { findFlowId } from './store.ts'

export function noSuchFlow(flow_name: string, org: string): AppError {
  return notFound(`Flow named '${flow_name}' does not exist for organization '${org}'`)
}

function archivedFlow(flow_name: string, org: string): AppError {
  return notFound(`Flow named '${flow_name}' has been archived for organization '${org}'`)
}

/** Finds the id of a flow by name or throws. Finds archived flows only if the caller requests them. */
export async function requireFlow(
  tx: Db,
  org: NamedOrg,
  flow_name: string,
  archived = false,
): Promise<string> {
  return requireActiveFlow(await findFlowId(tx, org.org_id, flow_name), org.name, flow_name, archived).flow_id
}

/** Throws if nothing was found, or if it is archived and the caller did not request archived ones. */
export function requireActiveFlow<T extends { archived_at: Date | null }>(
  found: T | undefined,
  org: string,
  flow_name: string,
  archived = false,
): T {
  if (!found) throw noSuchFlow(flow_name, org)
  if (found.archived_at && !archived) throw archivedFlow(flow_name, org)
  return found
}

// What can be wrong with a flow, in the words existing clients compare.
import type { Db } from '../../db/database.ts'
import { type AppError, notFound } from '../../lib/errors.ts'
import type { CallerOrg } from '../operation.ts'
import { findFlow } from './store.ts'

export function noSuchFlow(flow_name: string, org: string): AppError {
  return notFound(`Flow named '${flow_name}' does not exist for organization '${org}'`)
}

/** The id of the flow a name means, or the refusal. */
export async function requireFlow(tx: Db, org: CallerOrg, flow_name: string): Promise<string> {
  const flow = await findFlow(tx, org.org_id, flow_name)
  if (!flow) throw noSuchFlow(flow_name, org.name)
  return flow.flow_id
}

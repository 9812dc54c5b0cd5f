// What can be wrong with a flow notification.
import type { Db } from '../../db/database.ts'
import { type FieldErrors, invalid } from '../../lib/errors.ts'
import { shown } from '../../lib/sentences.ts'
import { noSuchNotification } from '../environments-notifications/problems.ts'
import type { CallerOrg } from '../operation.ts'
import * as store from './store.ts'

/** Held until the end of the transaction, or the refusal. */
export async function requireNotification(
  tx: Db,
  org: CallerOrg,
  number: number,
): Promise<store.FlowNotificationRow> {
  const row = await store.holdNotification(tx, org.org_id, number)
  if (!row) throw noSuchNotification(number, org.name)
  return row
}

/** The flows of these names, each once, or a refusal that tells of every name that means none. */
export async function requireFlows(
  tx: Db,
  org: CallerOrg,
  names: readonly string[],
): Promise<store.HeldFlow[]> {
  const found = await store.holdFlows(tx, org.org_id, [...new Set(names)])
  const known = new Map(found.map(flow => [flow.wanted, flow]))
  const errors: FieldErrors = {}
  for (const [place, name] of names.entries()) {
    if (known.has(name)) continue
    errors[`flows[${place}]`] = `Flow named '${shown(name)}' does not exist for organization '${org.name}'`
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  // In the order of the names. A former name and the current one may mean the same.
  const ordered = names.flatMap(name => known.get(name) ?? [])
  return [...new Map(ordered.map(flow => [flow.flow_id, flow])).values()]
}

// Tells a write to a frozen org apart from a database that cannot be written. The statement that sets the scope makes
// the transactions of a frozen org read-only and rejects those of a moved one.
import type pg from 'pg'
import { orgFrozen, orgMoved } from '../lib/errors.ts'

const READ_ONLY = '25006'
/** Raised by `refuse_moved_org`. */
const ORG_MOVED = 'WB001'

/** For `SET_SCOPE`: a condition that is never true, and that freezes the transaction if the org in $1 is frozen. */
export const FREEZE_TRANSACTION = `
  (case (select case when f.moved_to is not null then 'moved' when f.is_draining then 'draining' else 'frozen' end
         from frozen_orgs f where f.org_id = nullif($1, '')::uuid)
   when 'frozen' then set_config('transaction_read_only', 'on', true)
   when 'moved' then refuse_moved_org()
   end) = 'never'`

/**
 * For transactions across all orgs: the condition on `org_id` that excludes frozen ones, including those still
 * draining.
 */
export const isThawed = (org_id: string) =>
  `not exists (select from frozen_orgs z where z.org_id = ${org_id})`

/** The response for an error caused by a frozen or moved org; any other error as it is. */
export async function explainFrozenOrg(
  client: pg.PoolClient,
  org_id: string | undefined,
  error: unknown,
): Promise<unknown> {
  const { code } = (error ?? {}) as { code?: string }
  if (code === ORG_MOVED) return orgMoved()
  if (code !== READ_ONLY || org_id === undefined) return error
  return (await isFrozen(client, org_id)) ? orgFrozen() : error
}

async function isFrozen(client: pg.PoolClient, org_id: string): Promise<boolean> {
  // The connection has no transaction, so the same statement sets the scope.
  const text = `select set_config('app.org', $1, true) is not null and exists (
      select from frozen_orgs where org_id = nullif($1, '')::uuid) as is_frozen`
  try {
    return (await client.query(text, [org_id])).rows[0]?.is_frozen === true
  } catch {
    // The connection broke, so the first error is the one to report.
    return false
  }
}

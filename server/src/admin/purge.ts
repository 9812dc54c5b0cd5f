// `admin org purge [NAME]`: removes for good what was to be deleted, once there is no way back. Attachments are left to the
// sweep, which removes what no row names.
import type pg from 'pg'
import { lockDeletion } from '../api/orgs/store.ts'
import { deleteOrgRows } from '../db/org-removal.ts'
import { makeOwnerDb, withOwnerTransaction } from '../db/owner.ts'
import { AdminProblem } from './actor.ts'
import { clearDefaultOrg, listOrgsDue, lockDue } from './purge-store.ts'

export interface RemovedOrg {
  name: string
  org_id: string
  /** Rows by table. */
  rows: Record<string, number>
}

/** One transaction for each: told as soon as it is done. */
export async function* purgeOrgs(
  owner: pg.Client,
  now: Date,
  only: string | undefined,
): AsyncGenerator<RemovedOrg> {
  if (only !== undefined) await refuseUnlessDue(owner, now, only)
  for (const { org_id, name } of await listOrgsDue(makeOwnerDb(owner), now)) {
    if (only !== undefined && name !== only) continue
    const rows = await withOwnerTransaction(owner, async tx => {
      if (!(await lockDue(tx, org_id, now))) return undefined
      await clearDefaultOrg(tx, org_id)
      return deleteOrgRows(owner, org_id)
    })
    if (rows) yield { name, org_id, rows }
  }
}

async function refuseUnlessDue(owner: pg.Client, now: Date, name: string): Promise<void> {
  const org = await lockDeletion(makeOwnerDb(owner), name)
  if (!org) throw new AdminProblem(`There is no organization ${name}`)
  if (!org.delete_after) throw new AdminProblem(`Nobody asked for the organization ${name} to be deleted`)
  if (org.delete_after > now) {
    throw new AdminProblem(
      `The organization ${name} can be restored until ${org.delete_after.toISOString()}, and is not removed before`,
    )
  }
}

/** What was removed, for people. */
export function formatRemovals(removed: readonly RemovedOrg[]): string[] {
  if (removed.length === 0) return ['nothing to remove']
  return removed.flatMap(({ name, rows }) => [
    `removed organization ${name}`,
    ...Object.entries(rows).map(([table, count]) => `${String(count).padStart(10)}  ${table}`),
  ])
}

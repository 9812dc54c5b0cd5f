// `admin org purge [NAME]`: permanently removes deleted orgs whose restore period has ended. Their attachments are
// left to the evidence sweep, which removes files that no row refers to.
import type pg from 'pg'
import { lockDeletion } from '../api/orgs/store.ts'
import { deleteOrgRows } from '../db/org-removal.ts'
import { makeOwnerDb, withOwnerTransaction } from '../db/owner.ts'
import { AdminProblem } from './actor.ts'
import { clearDefaultOrg, findLastCheckpoint, listOrgsDue, lockDue } from './purge-store.ts'

export interface RemovedOrg {
  name: string
  org_id: string
  /** Number of rows by table. */
  rows: Record<string, number>
  /** The last checkpoint of its log, which is removed too: for people who have proofs. */
  last_checkpoint: string | null
}

/** Removes each org in its own transaction and yields it once that has committed. */
export async function* purgeOrgs(
  owner: pg.Client,
  now: Date,
  only: string | undefined,
): AsyncGenerator<RemovedOrg> {
  if (only !== undefined) await refuseUnlessDue(owner, now, only)
  for (const { org_id, name } of await listOrgsDue(makeOwnerDb(owner), now)) {
    if (only !== undefined && name !== only) continue
    const removed = await withOwnerTransaction(owner, async tx => {
      if (!(await lockDue(tx, org_id, now))) return undefined
      await clearDefaultOrg(tx, org_id)
      const last_checkpoint = await findLastCheckpoint(tx, org_id)
      return { rows: await deleteOrgRows(owner, org_id), last_checkpoint }
    })
    if (removed) yield { name, org_id, ...removed }
  }
}

async function refuseUnlessDue(owner: pg.Client, now: Date, name: string): Promise<void> {
  const org = await lockDeletion(makeOwnerDb(owner), name)
  if (!org) throw new AdminProblem(`There is no organization ${name}`)
  if (!org.delete_after) throw new AdminProblem(`The organization ${name} is not scheduled for deletion`)
  if (org.delete_after > now) {
    throw new AdminProblem(
      `The organization ${name} can be restored until ${org.delete_after.toISOString()}; purge it after that`,
    )
  }
}

export function formatRemovals(removed: readonly RemovedOrg[]): string[] {
  if (removed.length === 0) return ['nothing to remove']
  return removed.flatMap(({ name, rows, last_checkpoint }) => [
    `removed organization ${name}`,
    ...Object.entries(rows).map(([table, count]) => `${String(count).padStart(10)}  ${table}`),
    ...(last_checkpoint === null ? [] : ['The last checkpoint of its log, to be kept:', last_checkpoint]),
  ])
}

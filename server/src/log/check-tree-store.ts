// The SQL of the tree check.
import type { Db } from '../db/database.ts'
import { bytes, count, defineStatement, int, type RowOf, readsWholeOrg, uuid } from '../db/statement.ts'

const nodes = defineStatement(
  'log.list_nodes',
  { org_id: uuid, epoch: int },
  { level: int, number: count, hash: bytes },
  'select n.level, n.number, n.hash from log_nodes n where n.org_id = :org_id and n.epoch = :epoch',
  readsWholeOrg('the check reads everything'),
)

export type StoredNode = RowOf<typeof nodes>

export function listNodes(tx: Db, org_id: string, epoch: number): Promise<StoredNode[]> {
  return tx.run(nodes, { org_id, epoch })
}

const roots = defineStatement(
  'log.list_signed_roots',
  { org_id: uuid, epoch: int },
  { size: count, root: bytes },
  `select c.size, c.root from log_checkpoints c where c.org_id = :org_id and c.epoch = :epoch
   union select c.size, c.root from log_cosigned c where c.org_id = :org_id and c.epoch = :epoch`,
  readsWholeOrg('the check reads everything'),
)

export type StoredRoot = RowOf<typeof roots>

export function listSignedRoots(tx: Db, org_id: string, epoch: number): Promise<StoredRoot[]> {
  return tx.run(roots, { org_id, epoch })
}

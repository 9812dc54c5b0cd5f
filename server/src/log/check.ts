// Checks the logs of all organizations: the numbers have no gaps, every leaf fits the stored data, and the tree above
// the leaves and its checkpoints follow from the leaves.
import type { Db } from '../db/database.ts'
import { findLeafProblems } from './check-leaf.ts'
import { type LogHead, listChangedRows, listHeads, listLeavesWithEvents } from './check-store.ts'
import { startTreeCheck } from './check-tree.ts'
import { listNodes, listSignedRoots } from './check-tree-store.ts'

const PAGE = 1_000

/** Names the leaves that have problems. */
export async function findLogProblems(tx: Db): Promise<string[]> {
  const problems: string[] = []
  for (const head of await listHeads(tx)) {
    if (head.unnumbered > 0) problems.push(`${head.org}: ${head.unnumbered} events have no leaf`)
    if (head.imported_by_record !== null && head.imported !== head.imported_by_record)
      problems.push(
        `${head.org}: ${head.imported} leaves are imported events, and history_complete says ${head.imported_by_record}`,
      )
    for (let epoch = 1; epoch <= head.epoch; epoch++) {
      const found = await findProblemsOfLog(tx, head, epoch)
      // The leaves of a reopened log have the same numbers again.
      const place = head.epoch > 1 ? `${head.org}: log ${epoch}` : head.org
      problems.push(...found.map(problem => `${place}: ${problem}`))
    }
  }
  return problems
}

async function findProblemsOfLog(tx: Db, head: LogHead, epoch: number): Promise<string[]> {
  const { org_id, size, tag_key } = head
  const problems: string[] = []
  const nodes = await listNodes(tx, org_id, epoch)
  const tree = startTreeCheck(nodes, await listSignedRoots(tx, org_id, epoch))
  let next = 0
  let last_ms = 0
  for (;;) {
    const rows = await listLeavesWithEvents(tx, { org_id, epoch, from: next, limit: PAGE })
    for (const row of rows) {
      problems.push(...findLeafProblems(row, { epoch, seq: next, not_before_ms: last_ms, tag_key }))
      tree.add(row.leaf_hash)
      next = row.seq + 1
      last_ms = row.logged_ms
    }
    if (rows.length < PAGE) break
  }
  for (const { seq, kind, stored, is_there } of await listChangedRows(tx, { org_id, epoch }))
    problems.push(
      `leaf ${seq} (${kind}) does not fit the stored ${stored}: it was ${is_there ? 'changed' : 'removed'}`,
    )
  // The end of a log that was later reopened may be lost.
  if (epoch === head.epoch && next !== size)
    problems.push(`the log has ${next} leaves, and its head says ${size}`)
  return [...problems, ...tree.listProblems()]
}

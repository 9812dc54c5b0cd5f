// Checks the logs of all organizations: the numbers have no gap, and every leaf fits what is stored.
import type { Db } from '../db/database.ts'
import { findLeafProblems } from './check-leaf.ts'
import { type LogHead, listChangedRows, listHeads, listLeavesWithEvents } from './check-store.ts'

const PAGE = 1_000

/** Names the leaves with which something is wrong. */
export async function findLogProblems(tx: Db): Promise<string[]> {
  const problems: string[] = []
  for (const head of await listHeads(tx)) {
    const found = await findProblemsOfLog(tx, head)
    problems.push(...found.map(problem => `${head.org}: ${problem}`))
  }
  return problems
}

async function findProblemsOfLog(tx: Db, head: LogHead): Promise<string[]> {
  const { org_id, epoch, size, tag_key, unnumbered } = head
  const problems = unnumbered > 0 ? [`${unnumbered} events have no leaf`] : []
  let next = 0
  let last_ms = 0
  for (;;) {
    const rows = await listLeavesWithEvents(tx, { org_id, epoch, from: next, limit: PAGE })
    for (const row of rows) {
      problems.push(...findLeafProblems(row, { seq: next, not_before_ms: last_ms, tag_key }))
      next = row.seq + 1
      last_ms = row.logged_ms
    }
    if (rows.length < PAGE) break
  }
  for (const { seq, kind, stored, is_there } of await listChangedRows(tx, { org_id, epoch }))
    problems.push(
      `leaf ${seq} (${kind}) does not fit the stored ${stored}: it was ${is_there ? 'changed' : 'removed'}`,
    )
  if (next !== size) problems.push(`the log has ${next} leaves, and its head says ${size}`)
  return problems
}

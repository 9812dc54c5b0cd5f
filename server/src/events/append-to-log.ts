// Numbers the events of a transaction in the logs of their organizations, with its last statements before COMMIT:
// every committed event has a leaf, and nobody waits for a log's lock longer than a commit takes.
import type { AppendContext, Appending, LogEntry, Step } from '../db/database.ts'
import { computeTag } from '../domain/log/commit.ts'
import { formatLeafContent } from '../domain/log/leaf.ts'
import { groupBy } from '../lib/group-by.ts'
import { toWireId } from '../lib/ids.ts'
import { buildRememberStep } from './idempotent-leaf-store.ts'
import type { LeafReceipt } from './leaf-receipt.ts'
import { type AppendedLeaf, buildAppendStep, type NewLeaf } from './log-append-store.ts'
import { findOrOpenLog } from './open-log.ts'
import type { EventEntry } from './to-log.ts'

export async function appendToLog(entries: readonly LogEntry[], context: AppendContext): Promise<Appending> {
  const steps: Step[] = []
  const numbered: EventEntry[] = []
  for (const [org_id, events] of sortByOrg(entries as readonly (LogEntry & EventEntry)[])) {
    const [first] = events
    if (!first) continue
    const { tag_key, opening } = await findOrOpenLog(org_id, first, context)
    const leaves = opening ? [opening, ...events] : events
    numbered.push(...leaves)
    steps.push(
      await buildAppendStep(
        org_id,
        leaves.map(event => buildLeaf(event, tag_key)),
      ),
    )
  }
  const remembering = buildRememberSteps(numbered)
  return {
    // Before the numbers, so that the log's lock comes last.
    steps: [...remembering, ...steps],
    onCommitted: rows =>
      giveReceipts(numbered, (rows.slice(remembering.length) as AppendedLeaf[][]).flatMap(sortLeaves)),
  }
}

/** Builds one step for each request with an idempotency key, with the first of its events. */
function buildRememberSteps(events: readonly EventEntry[]): Step[] {
  const of_request = new Map<LeafReceipt, EventEntry[]>()
  for (const event of events) {
    if (!event.receipt?.idempotency) continue
    of_request.set(event.receipt, [...(of_request.get(event.receipt) ?? []), event])
  }
  return [...of_request].flatMap(([{ idempotency }, [first, ...rest]]) =>
    first && idempotency
      ? [
          buildRememberStep(first.org_id, idempotency, {
            event_id: first.event_id,
            event_count: 1 + rest.length,
          }),
        ]
      : [],
  )
}

/** Transactions that lock several logs do so in the same order. */
function sortByOrg(entries: readonly EventEntry[]): [string, EventEntry[]][] {
  return [...groupBy(entries, ({ org_id }) => org_id)].sort(([a], [b]) => (a < b ? -1 : 1))
}

function buildLeaf({ event_id, kind, body_hash, subjects }: EventEntry, tag_key: Buffer): NewLeaf {
  const about = [...new Set(subjects.map(subject => computeTag(tag_key, subject)))].sort()
  return {
    event_id,
    kind,
    content: formatLeafContent({ kind, event: toWireId(event_id), body_hash, about }),
    body_hash: body_hash.toString('hex'),
    tags: about.join(''),
  }
}

/** PostgreSQL guarantees no order of the rows that an insert returns. */
function sortLeaves(leaves: readonly AppendedLeaf[]): AppendedLeaf[] {
  return leaves.toSorted((a, b) => a.seq - b.seq)
}

function giveReceipts(entries: readonly EventEntry[], leaves: readonly AppendedLeaf[]): void {
  for (const [i, { org_id, receipt }] of entries.entries()) {
    const leaf = leaves[i]
    if (!receipt || !leaf) continue
    receipt.leaves.push({ org_id, index: leaf.seq, size: leaf.size, leaf_hash: leaf.leaf_hash })
  }
}

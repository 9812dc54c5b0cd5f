// Finds all leaves about a subject in a range of a log. If the range is proven complete (its hashes give the signed
// root), so is the result: whatever is not found was not recorded.
import { computeTag, type Subject } from './commit.ts'
import { parseLeaf } from './leaf.ts'

export interface ReplayQuestion {
  tag_key: Buffer
  subject: Subject
  /** The index of the first leaf. */
  from: number
  /** All kinds if omitted. */
  kinds?: readonly string[]
  /** When the leaves were recorded, in milliseconds: from the first up to but excluding the second. */
  period?: { from_ms: number; to_ms: number }
}

/** Either the indices in ascending order, or why the leaves are not a range of a log. */
export type Replayed = { indices: number[] } | { problem: string }

export function replay(leaves: Iterable<string>, question: ReplayQuestion): Replayed {
  const { tag_key, subject, from, kinds, period } = question
  const tag = computeTag(tag_key, subject)
  const indices: number[] = []
  let next = from
  let last_ms = 0
  for (const text of leaves) {
    const leaf = parseLeaf(text)
    if (!leaf) return { problem: `leaf ${next} is not a leaf` }
    if (leaf.index !== next) return { problem: `leaf ${leaf.index} is in the place of leaf ${next}` }
    if (leaf.at_ms < last_ms) return { problem: `leaf ${next} is older than the leaf before it` }
    const isInPeriod = !period || (leaf.at_ms >= period.from_ms && leaf.at_ms < period.to_ms)
    if (isInPeriod && leaf.about.includes(tag) && (kinds?.includes(leaf.kind) ?? true)) indices.push(next)
    next += 1
    last_ms = leaf.at_ms
  }
  return { indices }
}

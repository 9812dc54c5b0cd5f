// The parts of a file of receipts that must be known before one of them can be judged: few, however long the file is.
import { listSigners, readTree, type SignedTree } from './check.ts'
import type { BrokenLine, Kept } from './receipt.ts'

/** One log, as the receipts saw it. */
export interface SeenLog {
  /** The key of the first receipt. */
  vkey: string | undefined
  /** The largest tree for each set of keys that signed. */
  trees: Map<string, SignedTree>
}

interface Outline {
  count: number
  orgs: Set<string>
  /** By origin. */
  logs: Map<string, SeenLog>
}

export function outline(lines: Iterable<Kept | BrokenLine>): Outline {
  const found: Outline = { count: 0, orgs: new Set(), logs: new Map() }
  for (const { receipt } of lines) {
    if (receipt === undefined) continue
    found.count += 1
    found.orgs.add(receipt.org)
    if (receipt.origin === null) continue
    const log = found.logs.get(receipt.origin) ?? { vkey: undefined, trees: new Map() }
    found.logs.set(receipt.origin, log)
    log.vkey ??= receipt.vkey ?? undefined
    const tree = readTree(receipt)
    if (tree?.origin === receipt.origin) addTree(log.trees, tree)
  }
  return found
}

function addTree(trees: SeenLog['trees'], tree: SignedTree): void {
  const signers = listSigners(tree.note)
  if ((trees.get(signers)?.size ?? -1) < tree.size) trees.set(signers, tree)
}

// Checks the tree above the leaves of one log: the stored hashes and checkpoints must follow from the leaves.
import type { StoredNode, StoredRoot } from './check-tree-store.ts'
import { makeTree } from './tree.ts'

export interface TreeCheck {
  /** Takes the leaves in order. */
  add(leaf_hash: Buffer): void
  listProblems(): string[]
}

export function startTreeCheck(nodes: readonly StoredNode[], checkpoints: readonly StoredRoot[]): TreeCheck {
  const tree = makeTree(0, [])
  const stored = new Map(nodes.map(({ level, number, hash }) => [`${level} ${number}`, hash]))
  const signed = new Map(checkpoints.map(({ size, root }) => [size, root]))
  const problems: string[] = []
  return {
    add: leaf_hash => {
      for (const { level, number, hash } of tree.append(leaf_hash)) {
        const key = `${level} ${number}`
        if (stored.get(key)?.equals(hash) === false)
          problems.push(`the stored hash ${number} of level ${level} does not match the leaves`)
        stored.delete(key)
      }
      const root = signed.get(tree.getSize())
      if (root && !root.equals(tree.getRoot()))
        problems.push(`the checkpoint of ${tree.getSize()} leaves does not match them`)
      signed.delete(tree.getSize())
    },
    listProblems: () => [
      ...problems,
      ...[...stored.keys()].map(
        key => `the stored hash ${key.split(' ')[1]} of level ${key.split(' ')[0]} has no leaves`,
      ),
      ...[...signed.keys()].map(
        size => `a checkpoint of ${size} leaves was signed, and the log has ${tree.getSize()}`,
      ),
    ],
  }
}

// The edge of a tree, compared with the whole tree.
import {
  computeRoot,
  hashLeaf,
  hashRanges,
  isIncluded,
  listInclusionRanges,
  type Subtree,
} from '@waybill/transparency-log'
import { describe, expect, it } from 'vitest'
import { makeTree, type TileRoot, type Tree } from './tree.ts'

const LEAVES = Array.from({ length: 70_000 }, (_, i) => hashLeaf(Buffer.from(String(i))))
const SIZES = [1, 2, 3, 255, 256, 257, 511, 512, 1000, 65_535, 65_536, 65_537, 70_000]

const grow = (tree: Tree, to: number): TileRoot[] =>
  LEAVES.slice(tree.getSize(), to).flatMap(leaf => tree.append(leaf))

/** The edge as a reader finds it in the database. */
function cutEdge(size: number, roots: readonly TileRoot[]): Buffer[][] {
  const edge: Buffer[][] = []
  for (let level = 0; size >= 256 ** level; level++) {
    const count = Math.floor(size / 256 ** level)
    const first = Math.floor(count / 256) * 256
    const all = level === 0 ? LEAVES : roots.filter(root => root.level === level).map(({ hash }) => hash)
    edge.push(all.slice(first, count))
  }
  return edge
}

describe('the edge of a tree', () => {
  it('has the root of the whole tree at every size', () => {
    const tree = makeTree(0, [])
    for (const size of SIZES) {
      grow(tree, size)
      expect(tree.getRoot(), String(size)).toEqual(computeRoot(LEAVES.slice(0, size)))
    }
  })

  it('grows on from what is stored as if it had never been away', () => {
    const roots = grow(makeTree(0, []), LEAVES.length)
    expect(roots).toHaveLength(Math.floor(LEAVES.length / 256) + 1)
    for (const size of SIZES.slice(0, -1)) {
      const tree = makeTree(size, cutEdge(size, roots))
      expect(tree.getRoot(), String(size)).toEqual(computeRoot(LEAVES.slice(0, size)))
      grow(tree, size + 300)
      expect(tree.getRoot(), String(size)).toEqual(computeRoot(LEAVES.slice(0, size + 300)))
    }
  })

  it('proves each of the last 256 leaves from memory alone', async () => {
    const tree = makeTree(0, [])
    grow(tree, LEAVES.length)
    const size = LEAVES.length
    const root = tree.getRoot()
    const read = async (nodes: readonly Subtree[]) => nodes.map(node => tree.find(node) as Buffer)
    for (let index = size - 256; index < size; index++) {
      const proof = await hashRanges(listInclusionRanges(index, size), read)
      expect(isIncluded({ index, size, leaf_hash: LEAVES[index] as Buffer, root }, proof)).toBe(true)
    }
    expect(tree.find({ level: 0, number: 0 })).toBeUndefined()
  })
})

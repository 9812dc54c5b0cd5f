// The Merkle tree of RFC 6962: hashes of leaves and inner nodes, and how to split a range of leaves into
// complete subtrees. Sizes are numbers, so the arithmetic divides and never shifts: shifts have 32 bits.
import { hash } from 'node:crypto'
import { ensure } from './problem.ts'

export const HASH_BYTES = 32
/** The root of a tree without leaves. */
export const EMPTY_ROOT: Buffer = hash('sha256', '', 'buffer')

const LEAF = Buffer.of(0)
const NODE = 1

export function hashLeaf(entry: Uint8Array): Buffer {
  return hash('sha256', Buffer.concat([LEAF, entry]), 'buffer')
}

export function hashChildren(left: Uint8Array, right: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(1 + 2 * HASH_BYTES)
  bytes[0] = NODE
  bytes.set(left, 1)
  bytes.set(right, 1 + HASH_BYTES)
  return hash('sha256', bytes, 'buffer')
}

/** The leaves from `start`, inclusive, to `end`, exclusive. */
export interface Range {
  start: number
  end: number
}

/** A complete subtree: the leaves from `number * 2 ** level`, `2 ** level` of them. */
export interface Subtree {
  level: number
  number: number
}

/** The number of leaves in the left subtree: the largest power of two below `size`. */
export function computeSplit(size: number): number {
  let left = 1
  while (left * 2 < size) left *= 2
  return left
}

/** The complete subtrees that a range of a tree consists of, from left to right. */
export function listSubtrees({ start, end }: Range): Subtree[] {
  const subtrees: Subtree[] = []
  for (let at = start; at < end; ) {
    let level = 0
    while (at % 2 ** (level + 1) === 0 && at + 2 ** (level + 1) <= end) level += 1
    subtrees.push({ level, number: at / 2 ** level })
    at += 2 ** level
  }
  return subtrees
}

/** The hash of a range from the hashes of its complete subtrees, from left to right. */
export function combineSubtrees(hashes: readonly Buffer[]): Buffer {
  return hashes.reduceRight((right, left) => hashChildren(left, right))
}

/** The root of the tree with these leaf hashes. */
export function computeRoot(leaf_hashes: readonly Buffer[]): Buffer {
  return leaf_hashes.length === 0 ? EMPTY_ROOT : getRoot(appendLeaves(EMPTY_PEAKS, leaf_hashes))
}

/**
 * Everything needed to append to a tree: its size and the roots of its complete subtrees, at most 53, from
 * left to right.
 */
export interface Peaks {
  size: number
  hashes: readonly Buffer[]
}

export const EMPTY_PEAKS: Peaks = { size: 0, hashes: [] }

export function appendLeaves(peaks: Peaks, leaf_hashes: readonly Buffer[]): Peaks {
  const hashes = [...peaks.hashes]
  let { size } = peaks
  for (const leaf of leaf_hashes) {
    let hash = leaf
    for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2) {
      const left = hashes.pop()
      ensure(left !== undefined, `The peaks do not match the size ${peaks.size}`)
      hash = hashChildren(left, hash)
    }
    hashes.push(hash)
    size += 1
  }
  return { size, hashes }
}

export function getRoot({ hashes }: Peaks): Buffer {
  return hashes.length === 0 ? EMPTY_ROOT : combineSubtrees(hashes)
}

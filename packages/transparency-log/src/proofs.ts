// Inclusion and consistency proofs of RFC 6962. Building a proof means choosing the ranges whose hashes it
// consists of and reading those hashes. Verifying follows RFC 9162, sections 2.1.3.2 and 2.1.4.2, and shares
// no code with building.
import { ensure } from './problem.ts'
import {
  combineSubtrees,
  computeSplit,
  EMPTY_ROOT,
  hashChildren,
  listSubtrees,
  type Peaks,
  type Range,
  type Subtree,
} from './tree.ts'

/** Reads the hashes of complete subtrees, all at once. */
export type ReadSubtrees = (subtrees: readonly Subtree[]) => Promise<Buffer[]>

/** The ranges whose hashes prove that a leaf is in a tree: from its sibling up to the child of the root. */
export function listInclusionRanges(index: number, size: number): Range[] {
  ensure(index >= 0 && index < size, `The tree of size ${size} has no leaf ${index}`)
  const ranges: Range[] = []
  let whole: Range = { start: 0, end: size }
  while (whole.end - whole.start > 1) {
    const [left, right] = split(whole)
    ranges.unshift(index < right.start ? right : left)
    whole = index < right.start ? left : right
  }
  return ranges
}

/** The ranges whose hashes prove that the tree of size `from` is the beginning of the tree of size `to`. */
export function listConsistencyRanges(from: number, to: number): Range[] {
  ensure(from >= 0 && from <= to, `A tree of size ${from} is not the beginning of a tree of size ${to}`)
  if (from === 0 || from === to) return []
  const ranges: Range[] = []
  let whole: Range = { start: 0, end: to }
  while (whole.end !== from) {
    const [left, right] = split(whole)
    const isInLeft = from <= right.start
    ranges.unshift(isInLeft ? right : left)
    whole = isInLeft ? left : right
  }
  // The verifier knows the whole earlier tree, but not a part of it.
  return whole.start === 0 ? ranges : [whole, ...ranges]
}

function split({ start, end }: Range): [Range, Range] {
  const middle = start + computeSplit(end - start)
  return [
    { start, end: middle },
    { start: middle, end },
  ]
}

/** The hash of each range, from one read. */
export async function hashRanges(ranges: readonly Range[], read: ReadSubtrees): Promise<Buffer[]> {
  const subtrees = ranges.map(listSubtrees)
  const hashes = await read(subtrees.flat())
  let at = 0
  return subtrees.map(({ length }) => {
    at += length
    return combineSubtrees(hashes.slice(at - length, at))
  })
}

/** Inclusion proofs for leaves that were just appended, computed only from the peaks before them. */
export function proveAppended(before: Peaks, leaf_hashes: readonly Buffer[]): Buffer[][] {
  const size = before.size + leaf_hashes.length
  const starts = listSubtrees({ start: 0, end: before.size })
  ensure(starts.length === before.hashes.length, `The peaks do not match the size ${before.size}`)
  const peaks = new Map(starts.map(({ level, number }, i) => [number * 2 ** level, before.hashes[i]]))
  const known = new Map<string, Buffer>()
  const hashRange = (range: Range): Buffer => {
    const { start, end } = range
    if (end - start === 1 && start >= before.size) return leaf_hashes[start - before.size] as Buffer
    const key = `${start}-${end}`
    const found = end <= before.size ? peaks.get(start) : known.get(key)
    if (found) return found
    const [left, right] = split(range)
    const hash = hashChildren(hashRange(left), hashRange(right))
    known.set(key, hash)
    return hash
  }
  return leaf_hashes.map((_, i) => listInclusionRanges(before.size + i, size).map(hashRange))
}

export interface Inclusion {
  index: number
  size: number
  leaf_hash: Uint8Array
  root: Uint8Array
}

export function isIncluded({ index, size, leaf_hash, root }: Inclusion, proof: readonly Buffer[]): boolean {
  if (!isSize(index) || !isSize(size) || index >= size) return false
  let at = { node: index, last: size - 1 }
  let hash: Buffer = Buffer.from(leaf_hash)
  for (const sibling of proof) {
    if (at.last === 0) return false
    if (isRightChild(at)) {
      hash = hashChildren(sibling, hash)
      at = climbToRightChild(at)
    } else {
      hash = hashChildren(hash, sibling)
    }
    at = climb(at)
  }
  return at.last === 0 && hash.equals(root)
}

export interface Consistency {
  from: { size: number; root: Uint8Array }
  to: { size: number; root: Uint8Array }
}

export function isConsistent({ from, to }: Consistency, proof: readonly Buffer[]): boolean {
  if (!isSize(from.size) || !isSize(to.size) || from.size > to.size) return false
  if (from.size === 0 && !EMPTY_ROOT.equals(from.root)) return false
  if (from.size === to.size) return proof.length === 0 && Buffer.from(from.root).equals(to.root)
  if (from.size === 0) return proof.length === 0
  const isPowerOfTwo = listSubtrees({ start: 0, end: from.size }).length === 1
  const [first, ...rest] = isPowerOfTwo ? [Buffer.from(from.root), ...proof] : proof
  if (!first || proof.length === 0) return false
  let at = { node: from.size - 1, last: to.size - 1 }
  while (at.node % 2 === 1) at = climb(at)
  let [earlier, later] = [first, first]
  for (const hash of rest) {
    if (at.last === 0) return false
    if (isRightChild(at)) {
      earlier = hashChildren(hash, earlier)
      later = hashChildren(hash, later)
      at = climbToRightChild(at)
    } else {
      later = hashChildren(later, hash)
    }
    at = climb(at)
  }
  return at.last === 0 && earlier.equals(from.root) && later.equals(to.root)
}

/** A node by its number in its level, and the number of the level's last node. */
interface Position {
  node: number
  last: number
}

const climb = ({ node, last }: Position): Position => ({
  node: Math.floor(node / 2),
  last: Math.floor(last / 2),
})

/** The last node of a level has no right sibling: it is combined with the nearest subtree on its left. */
const isRightChild = ({ node, last }: Position): boolean => node % 2 === 1 || node === last

function climbToRightChild(at: Position): Position {
  let position = at
  while (position.node % 2 === 0 && position.node !== 0) position = climb(position)
  return position
}

const isSize = (value: number): boolean => Number.isSafeInteger(value) && value >= 0

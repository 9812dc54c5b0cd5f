import { describe, expect, test } from 'vitest'
import {
  appendLeaves,
  computeRoot,
  EMPTY_PEAKS,
  EMPTY_ROOT,
  getRoot,
  hashChildren,
  hashLeaf,
  hashRanges,
  isConsistent,
  isIncluded,
  listConsistencyRanges,
  listInclusionRanges,
  proveAppended,
  type Subtree,
} from './index.ts'

const SIZES = Array.from({ length: 36 }, (_, i) => i)
const leaves = Array.from({ length: 260 }, (_, i) => hashLeaf(Buffer.from(`leaf ${i}`)))
const roots = Array.from({ length: 261 }, (_, size) => hashTree(leaves.slice(0, size)))

/** The definition in RFC 6962, section 2.1, word for word, without using the code under test. */
function hashTree(part: readonly Buffer[]): Buffer {
  if (part.length === 0) return EMPTY_ROOT
  if (part.length === 1) return part[0] as Buffer
  let left = 1
  while (left * 2 < part.length) left *= 2
  return hashChildren(hashTree(part.slice(0, left)), hashTree(part.slice(left)))
}

const readSubtrees = async (subtrees: readonly Subtree[]) =>
  subtrees.map(({ level, number }) => hashTree(leaves.slice(number * 2 ** level, (number + 1) * 2 ** level)))

const prove = (index: number, size: number) => hashRanges(listInclusionRanges(index, size), readSubtrees)
const proveConsistency = (from: number, to: number) =>
  hashRanges(listConsistencyRanges(from, to), readSubtrees)
const at = (size: number) => ({ size, root: roots[size] as Buffer })

describe('the root', () => {
  test('is the one of RFC 6962 for every size, computed at once and leaf by leaf', () => {
    let peaks = EMPTY_PEAKS
    for (const [size, root] of roots.entries()) {
      expect(computeRoot(leaves.slice(0, size))).toEqual(root)
      expect(getRoot(peaks)).toEqual(root)
      if (size < leaves.length) peaks = appendLeaves(peaks, [leaves[size] as Buffer])
    }
  })

  test('needs peaks that match the size', () => {
    expect(() => appendLeaves({ size: 3, hashes: [] }, leaves.slice(0, 1))).toThrow(
      'The peaks do not match the size 3',
    )
    expect(() => proveAppended({ size: 3, hashes: [] }, leaves.slice(0, 1))).toThrow(
      'The peaks do not match the size 3',
    )
  })
})

describe('an inclusion proof', () => {
  test('is accepted for every leaf of every tree, and for no other leaf, index, size or root', async () => {
    for (const size of SIZES) {
      for (let index = 0; index < size; index++) {
        const proof = await prove(index, size)
        const claim = { index, leaf_hash: leaves[index] as Buffer, ...at(size) }
        expect(isIncluded(claim, proof)).toBe(true)
        expect(isIncluded({ ...claim, leaf_hash: leaves[index + 1] as Buffer }, proof)).toBe(false)
        expect(isIncluded({ ...claim, root: roots[size + 1] as Buffer }, proof)).toBe(false)
        expect(isIncluded({ ...claim, index: (index + 1) % size }, proof)).toBe(size === 1)
        expect(isIncluded({ ...claim, index: size }, proof)).toBe(false)
      }
    }
  })

  test('is refused with a hash too many, too few or changed', async () => {
    for (const size of [2, 3, 7, 8, 9, 33]) {
      for (let index = 0; index < size; index++) {
        const proof = await prove(index, size)
        const claim = { index, leaf_hash: leaves[index] as Buffer, ...at(size) }
        expect(isIncluded(claim, [...proof, EMPTY_ROOT])).toBe(false)
        expect(isIncluded(claim, [EMPTY_ROOT, ...proof])).toBe(false)
        expect(isIncluded(claim, proof.slice(1))).toBe(false)
        expect(isIncluded(claim, proof.slice(0, -1))).toBe(false)
        for (const i of proof.keys()) expect(isIncluded(claim, proof.with(i, EMPTY_ROOT))).toBe(false)
      }
    }
  })

  test('is refused for an inner node presented as a leaf', async () => {
    const node = hashChildren(leaves[0] as Buffer, leaves[1] as Buffer)
    const [, ...above] = await prove(0, 8)
    expect(isIncluded({ index: 0, leaf_hash: node, ...at(8) }, above)).toBe(false)
    const as_entry = hashLeaf(Buffer.concat([leaves[0] as Buffer, leaves[1] as Buffer]))
    expect(isIncluded({ index: 0, leaf_hash: as_entry, ...at(8) }, above)).toBe(false)
  })

  test('is refused for indexes and sizes that are not whole numbers from 0', () => {
    const leaf_hash = leaves[0] as Buffer
    for (const [index, size] of [
      [0, 0],
      [-1, 1],
      [0.5, 1],
      [0, Number.NaN],
      [0, 2 ** 53],
    ] as const) {
      expect(isIncluded({ index, size, leaf_hash, root: leaf_hash }, [])).toBe(false)
    }
    expect(() => listInclusionRanges(3, 3)).toThrow('The tree of size 3 has no leaf 3')
  })

  test('of appended leaves needs only the peaks before them', async () => {
    for (const before of [0, 1, 3, 8, 21, 200]) {
      for (const count of [1, 2, 5, 33]) {
        const peaks = appendLeaves(EMPTY_PEAKS, leaves.slice(0, before))
        const proofs = proveAppended(peaks, leaves.slice(before, before + count))
        expect(proofs).toHaveLength(count)
        for (const [i, proof] of proofs.entries())
          expect(proof).toEqual(await prove(before + i, before + count))
      }
    }
  })
})

describe('a consistency proof', () => {
  test('is accepted for every two sizes of a log, and for no other root', async () => {
    for (const to of SIZES) {
      for (let from = 0; from <= to; from++) {
        const proof = await proveConsistency(from, to)
        expect(isConsistent({ from: at(from), to: at(to) }, proof)).toBe(true)
        const other = { size: from, root: roots[from + 1] as Buffer }
        expect(isConsistent({ from: other, to: at(to) }, proof)).toBe(false)
        const later = { size: to, root: roots[to + 1] as Buffer }
        // Every log is a continuation of the empty one.
        expect(isConsistent({ from: at(from), to: later }, proof)).toBe(from === 0 && to > 0)
      }
    }
  })

  test('is refused with a hash too many, too few or changed, or the wrong way round', async () => {
    for (const [from, to] of [
      [1, 2],
      [3, 7],
      [4, 8],
      [6, 8],
      [33, 64],
      [40, 65],
    ] as const) {
      const proof = await proveConsistency(from, to)
      const claim = { from: at(from), to: at(to) }
      expect(isConsistent(claim, [...proof, EMPTY_ROOT])).toBe(false)
      expect(isConsistent(claim, proof.slice(1))).toBe(false)
      expect(isConsistent(claim, proof.slice(0, -1))).toBe(false)
      expect(isConsistent(claim, [])).toBe(false)
      for (const i of proof.keys()) expect(isConsistent(claim, proof.with(i, EMPTY_ROOT))).toBe(false)
      expect(isConsistent({ from: at(to), to: at(from) }, proof)).toBe(false)
    }
    expect(() => listConsistencyRanges(3, 2)).toThrow(
      'A tree of size 3 is not the beginning of a tree of size 2',
    )
  })
})

// The test vectors in `vectors/`. This test writes them with `-u` and fails if they change; `npm run check -- log` verifies
// them with Go's own packages.
import { createPrivateKey, hash } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  computeRoot,
  computeTileWidth,
  formatCheckpoint,
  formatNote,
  formatProofFile,
  formatTilePath,
  formatVerifierKey,
  hashLeaf,
  hashRanges,
  type KeyType,
  listConsistencyRanges,
  listInclusionRanges,
  readPrivateKey,
  type Subtree,
  signNote,
  TILE_WIDTH,
} from './index.ts'

const SMALL = 300
const LARGE = 70_000
/** The prefix of a 32-byte Ed25519 seed in PKCS #8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

const leaves = Array.from({ length: LARGE }, (_, i) => hashLeaf(Buffer.from(`leaf ${i}`)))
const known = new Map<string, Buffer>()

function hashSubtree({ level, number }: Subtree): Buffer {
  const key = `${level}/${number}`
  const found = known.get(key) ?? computeRoot(leaves.slice(number * 2 ** level, (number + 1) * 2 ** level))
  known.set(key, found)
  return found
}

const read = async (subtrees: readonly Subtree[]) => subtrees.map(hashSubtree)
const digest = (bytes: Uint8Array) => hash('sha256', bytes, 'hex')

function makeKey(name: string, type: KeyType, seed: number) {
  const der = Buffer.concat([PKCS8, Buffer.alloc(32, seed)])
  return readPrivateKey(name, type, createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
}

async function buildSmallTrees() {
  const trees = []
  for (let size = 0; size <= SMALL; size++) {
    const indices = Array.from({ length: size }, (_, i) => i)
    const inclusion = await Promise.all(indices.map(i => hashRanges(listInclusionRanges(i, size), read)))
    const sizes = Array.from({ length: size }, (_, i) => i + 1)
    const consistency = await Promise.all(
      sizes.map(from => hashRanges(listConsistencyRanges(from, size), read)),
    )
    trees.push({
      size,
      root: computeRoot(leaves.slice(0, size)).toString('base64'),
      inclusion_sha256: digest(Buffer.concat(inclusion.flat())),
      consistency_sha256: digest(Buffer.concat(consistency.flat())),
    })
  }
  return trees
}

function buildTiles() {
  const tiles: Record<string, string> = {}
  for (let level = 0; TILE_WIDTH ** level <= LARGE; level++) {
    for (let number = 0; ; number++) {
      const width = computeTileWidth({ level, number }, LARGE)
      if (width === 0) break
      const hashes = Array.from({ length: width }, (_, i) =>
        hashSubtree({ level: level * 8, number: number * TILE_WIDTH + i }),
      )
      tiles[formatTilePath({ level, number, width })] = digest(Buffer.concat(hashes))
    }
  }
  return tiles
}

async function buildNotes() {
  const log = makeKey('log.example/acme', 'note', 1)
  const witness = makeKey('witness.example/w1', 'cosignature', 2)
  const text = formatCheckpoint({ origin: log.name, size: 1_000, root: computeRoot(leaves.slice(0, 1_000)) })
  const checkpoint = await signNote(text, [log])
  const cosigned = await signNote(text, [log, witness], 1_763_222_400)
  const hashes = await hashRanges(listInclusionRanges(940, 1_000), read)
  return {
    log_key: formatVerifierKey(log),
    witness_key: formatVerifierKey(witness),
    checkpoint: formatNote(checkpoint),
    cosigned: formatNote(cosigned),
    changed: formatNote({ ...checkpoint, text: text.replace('1000', '1001') }),
    proof: formatProofFile({ index: 940, hashes, checkpoint }),
  }
}

test('the vectors are the ones in the repository', async () => {
  const about =
    'Leaf n is the text "leaf n". inclusion_sha256: the proofs of leaves 0 to size - 1, concatenated. ' +
    'consistency_sha256: the proofs from sizes 1 to size, concatenated. CC0.'
  const vectors = {
    about,
    trees: await buildSmallTrees(),
    large: { size: LARGE, root: computeRoot(leaves).toString('base64'), tiles_sha256: buildTiles() },
    notes: await buildNotes(),
  }
  await expect(`${JSON.stringify(vectors, null, 2)}\n`).toMatchFileSnapshot('../vectors/log.json')
})

// A key that takes over: it counts only if a tree that a trusted key signed has the leaf that adds it.
import {
  computeRoot,
  formatCheckpoint,
  formatVerifierKey,
  generateKey,
  hashLeaf,
  makeTileReader,
  type SignerKey,
  signNote,
} from '@waybill/transparency-log'
import { expect, it } from 'vitest'
import { hashBody } from '../../../server/src/domain/log/commit.ts'
import { formatLeaf } from '../../../server/src/domain/log/leaf.ts'
import { followKeys } from './follow-keys.ts'
import type { LeafBody, LogSource } from './log-source.ts'

const ORIGIN = 'waybill.test/log/x/1'
const [old_key, new_key] = [generateKey(ORIGIN, 'note'), generateKey(ORIGIN, 'note')]
const ids = (keys: readonly { id: string }[]) => keys.map(({ id }) => id)

function makeLeaf(index: number, kind: string, data: object): LeafBody {
  const [salt, body] = [Buffer.alloc(32), JSON.stringify({ kind, data })]
  const content = { kind, event: '0'.repeat(32), body_hash: hashBody(salt, body), about: [] }
  return { leaf: formatLeaf({ index, at_ms: 0, ...content }), salt: salt.toString('base64'), body }
}

const opened = makeLeaf(0, 'log_opened', {})
const added = makeLeaf(1, 'log_key_added', { vkey: formatVerifierKey(new_key) })
const other = makeLeaf(1, 'flow_created', {})

/** A log of these leaves, whose service says that leaf 1 adds the new key. */
async function follow(leaves: readonly LeafBody[], signers: readonly SignerKey[], seen_size: number) {
  const hashes = leaves.map(({ leaf }) => hashLeaf(Buffer.from(leaf)))
  const sign = async (size: number, keys: readonly SignerKey[]) => {
    const tree = { origin: ORIGIN, size, root: computeRoot(hashes.slice(0, size)) }
    return { ...tree, note: await signNote(formatCheckpoint(tree), keys) }
  }
  const newest = await sign(leaves.length, [new_key])
  const source: LogSource = {
    readCheckpoint: () => expect.fail('the checkpoint is known'),
    readTile: async () => Buffer.concat(hashes),
    readBody: async () => added,
    listAddedKeys: async () => [1],
  }
  const read = makeTileReader(leaves.length, async () => Buffer.concat(hashes))
  const trees = [await sign(seen_size, signers), newest]
  return ids(await followKeys([old_key], [], trees, { source, newest, read }))
}

it('a tree with the leaf, signed by both keys, shows that the new one took over', async () => {
  expect(await follow([opened, added], [old_key, new_key], 2)).toEqual(ids([old_key, new_key]))
})

it.each([
  ['has another leaf there', [opened, other], [old_key, new_key], 2],
  ['is from before the leaf', [opened, added], [old_key], 1],
  ['only the new key has signed', [opened, added], [new_key], 2],
] as const)('a tree that %s shows nothing', async (_, leaves, signers, seen_size) => {
  expect(await follow(leaves, signers, seen_size)).toEqual(ids([old_key]))
})

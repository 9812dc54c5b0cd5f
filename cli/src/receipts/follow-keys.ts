// Follows the keys of a log: a new key is trusted if a tree that a trusted key signed has the leaf that adds it.
import {
  hashLeaf,
  hashRanges,
  isIncluded,
  listInclusionRanges,
  type ReadSubtrees,
  type VerifierKey,
} from '@waybill/transparency-log'
import { hashBody } from '../../../server/src/domain/log/commit.ts'
import { parseLeaf } from '../../../server/src/domain/log/leaf.ts'
import { parseJson, toValues } from '../../../server/src/verifier/json.ts'
import { isSignedBy, parseKey, type SignedTree } from './check.ts'
import type { LogSource } from './log-source.ts'

export interface LogView {
  source: LogSource
  newest: SignedTree
  /** Reads subtrees of the newest tree. */
  read: ReadSubtrees
}

/** The given keys, and those that took over from them. `trees` are trees that somebody has seen. */
export async function followKeys(
  keys: readonly VerifierKey[],
  vkeys: readonly string[],
  trees: readonly SignedTree[],
  view: LogView,
): Promise<VerifierKey[]> {
  const trusted = [...keys]
  if (trusted.length === 0 || trees.every(({ note }) => isSignedBy(note, trusted))) return trusted
  const added = await readAddedKeys(view, vkeys)
  for (let before = -1; before !== trusted.length; ) {
    before = trusted.length
    for (const { key, index, leaf_hash } of added) {
      if (trusted.some(({ public_key }) => public_key.equals(key.public_key))) continue
      for (const tree of trees.filter(({ note, size }) => size > index && isSignedBy(note, trusted)))
        if (await hasLeaf(tree, { index, leaf_hash }, view)) {
          trusted.push(key)
          break
        }
    }
  }
  return trusted
}

/** Whether a tree has a leaf. Any tree that is not larger than the newest one can be asked. */
export async function hasLeaf(
  { size, root }: Pick<SignedTree, 'size' | 'root'>,
  { index, leaf_hash }: { index: number; leaf_hash: Buffer },
  { read, newest }: LogView,
): Promise<boolean> {
  if (index >= size || size > newest.size) return false
  const proof = await hashRanges(listInclusionRanges(index, size), read)
  return isIncluded({ index, size, leaf_hash, root }, proof)
}

/** What a leaf says, if the service hands it over: its hash is still to be found in a tree. */
export async function readLeafData(
  index: number,
  { source }: Pick<LogView, 'source'>,
): Promise<{ leaf_hash: Buffer; kind: string; data: Readonly<Record<string, unknown>> } | undefined> {
  const found = await source.readBody(index)
  if (found === undefined) return undefined
  const { leaf: text, salt, body } = found
  const leaf = parseLeaf(text)
  if (leaf?.index !== index || !hashBody(Buffer.from(salt, 'base64'), body).equals(leaf.body_hash))
    return undefined
  return { leaf_hash: hashLeaf(Buffer.from(text)), kind: leaf.kind, data: toValues(parseJson(body)?.data) }
}

async function readAddedKeys(view: LogView, vkeys: readonly string[]) {
  const { source, newest } = view
  const added = []
  for (const index of await source.listAddedKeys(newest.size, vkeys)) {
    const said = await readLeafData(index, view)
    const key = said?.kind === 'log_key_added' ? parseKey(said.data.vkey, newest.origin) : undefined
    if (said && key) added.push({ key, index, leaf_hash: said.leaf_hash })
  }
  return added
}

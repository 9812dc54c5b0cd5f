// The logs of an application: their checkpoints and proofs. Every process on the same database gives the same
// answers, because all of them read the same leaves.
import {
  hashRanges,
  type InclusionProof,
  listConsistencyRanges,
  listInclusionRanges,
  type VerifierKey,
} from '@waybill/transparency-log'
import { assert } from '../lib/assert.ts'
import { notFound } from '../lib/errors.ts'
import type { LogsParts, SignedCheckpoint } from './advance.ts'
import { type LogCounters, makeLogCounters } from './counters.ts'
import { makeNodeReader } from './read-nodes.ts'
import { makeSigner, type Signer, signTree } from './signer.ts'

interface ProvedLeaf {
  index: number
  /** If given, the leaf in the log must have this hash. */
  leaf_hash?: Buffer
}

export interface Logs extends Omit<Signer, 'findOpen'> {
  readonly counters: LogCounters
  /** A checkpoint of exactly this size. */
  signAt(org_id: string, size: number): Promise<SignedCheckpoint>
  /** Undefined if the log has no such leaf. */
  prove(org_id: string, leaf: ProvedLeaf, checkpoint: SignedCheckpoint): Promise<InclusionProof | undefined>
  proveConsistency(org_id: string, epoch: number, from: number, to: number): Promise<Buffer[]>
  /** The newest of the keys that sign; undefined if this process has not read the log. */
  findKey(org_id: string): VerifierKey | undefined
}

export function makeLogs(parts: LogsParts): Logs {
  const { db } = parts
  const counters = makeLogCounters()
  const signer = makeSigner({ ...parts, counters })
  const readNodes = (org_id: string, epoch: number, size: number) => {
    const log = signer.findOpen(org_id)
    const tree = log?.epoch === epoch ? log.tree : undefined
    return makeNodeReader(db, { org_id, epoch, size, tree })
  }
  return {
    ...signer,
    counters,
    signAt: async (org_id, size) => {
      const newest = await signer.sign(org_id)
      if (newest.size === size) return newest
      if (size > newest.size)
        throw notFound(`The log has ${newest.size} leaves; there is no checkpoint of ${size}`)
      const [root] = await hashRanges([{ start: 0, end: size }], readNodes(org_id, newest.epoch, size))
      const log = signer.findOpen(org_id)
      assert(log && root, 'a log that was signed is open')
      return signTree(log, size, root)
    },
    prove: async (org_id, { index, leaf_hash }, { epoch, size, note }) => {
      if (index >= size) return undefined
      const read = readNodes(org_id, epoch, size)
      // The log may have been reopened since the leaf was numbered.
      if (leaf_hash && !(await read([{ level: 0, number: index }]))[0]?.equals(leaf_hash)) return undefined
      return { index, hashes: await hashRanges(listInclusionRanges(index, size), read), checkpoint: note }
    },
    proveConsistency: (org_id, epoch, from, to) =>
      hashRanges(listConsistencyRanges(from, to), readNodes(org_id, epoch, to)),
    findKey: org_id => signer.findOpen(org_id)?.keys.at(-1),
  }
}

// Checks a receipt by itself: whether its parts belong together. The same checks run when it is made and when it is
// verified.
import {
  type Checkpoint,
  hashLeaf,
  LogProblem,
  type Note,
  parseCheckpoint,
  parseProofFile,
  parseVerifierKey,
  provesInclusion,
  type VerifierKey,
  verifyNote,
} from '@waybill/transparency-log'
import { parseLeaf } from '../../../server/src/domain/log/leaf.ts'
import { COVERAGE } from '../../../server/src/events/coverage.ts'
import type { EventKind } from '../../../server/src/events/kinds.ts'
import { checkBody, checkTags, makeComputeTags } from '../../../server/src/verifier/bodies.ts'
import { makeFindings } from '../../../server/src/verifier/findings.ts'
import type { Receipt } from './receipt.ts'

export interface SignedTree extends Checkpoint {
  note: Note
}

/**
 * Sentences that say what is wrong; empty if the receipt is in order. Without the tag key, tags are not compared.
 * Signatures are the caller's to judge.
 */
export function findProblems(receipt: Receipt, tag_key: Buffer | undefined): string[] {
  return [
    ...receipt.contradictions,
    ...explainProblem(() => findProofProblems(receipt)),
    ...findLeafProblems(receipt, tag_key),
  ]
}

/** The tree that the receipt saw; undefined without a proof, or if it cannot be read. */
export function readTree({ proof }: Receipt): SignedTree | undefined {
  if (proof === null) return undefined
  try {
    const { checkpoint } = parseProofFile(proof)
    return { ...parseCheckpoint(checkpoint.text), note: checkpoint }
  } catch (error) {
    if (!(error instanceof LogProblem)) throw error
    return undefined
  }
}

/** `changed`: a signature by one of the keys is wrong. `stranger`: only others have signed. */
export type Signed = 'trusted' | 'stranger' | 'changed'

export function judgeSignatures(note: Note, keys: readonly VerifierKey[]): Signed {
  try {
    return verifyNote(note, keys).length > 0 ? 'trusted' : 'stranger'
  } catch (error) {
    if (!(error instanceof LogProblem)) throw error
    return 'changed'
  }
}

export const CHANGED = 'the signature of its checkpoint is wrong: it was changed'

export const isSignedBy = (note: Note, keys: readonly VerifierKey[]): boolean =>
  judgeSignatures(note, keys) === 'trusted'

/** The ids of the keys, for messages. */
export const listSigners = ({ signatures }: Note): string => signatures.map(({ id }) => id).join(', ')

/** A key of this log; undefined for anything else. */
export function parseKey(vkey: unknown, origin: string): VerifierKey | undefined {
  try {
    const key = parseVerifierKey(String(vkey))
    return key.name === origin && key.type === 'note' ? key : undefined
  } catch (error) {
    if (!(error instanceof LogProblem)) throw error
    return undefined
  }
}

function explainProblem(find: () => string[]): string[] {
  try {
    return find()
  } catch (error) {
    if (!(error instanceof LogProblem)) throw error
    return [error.message]
  }
}

function findProofProblems(receipt: Receipt): string[] {
  if (receipt.proof === null) return []
  const proof = parseProofFile(receipt.proof)
  const { origin } = parseCheckpoint(proof.checkpoint.text)
  if (proof.index !== receipt.index) return [`its proof is of leaf ${proof.index}`]
  if (origin !== receipt.origin) return [`its proof is of the log ${origin}`]
  const isProved = provesInclusion(proof, Buffer.from(receipt.leaf_hash, 'base64'))
  return isProved ? [] : ['its proof does not show that the leaf was in the log']
}

function findLeafProblems(receipt: Receipt, tag_key: Buffer | undefined): string[] {
  const { leaf: text, salt, body, index, leaf_hash } = receipt
  if (text === null) return []
  const leaf = parseLeaf(text)
  if (leaf?.index !== index || hashLeaf(Buffer.from(text)).toString('base64') !== leaf_hash)
    return ['its leaf, salt and body are not those of the leaf in the log']
  if (salt === null || body === null) return []
  const findings = makeFindings()
  const checked = checkBody(leaf, { index, salt, body }, findings)
  const computeTags = tag_key && makeComputeTags(tag_key, kind => COVERAGE[kind as EventKind]?.about)
  if (checked && computeTags) checkTags(leaf, checked, computeTags, findings)
  // Tags of a kind that a newer service knows cannot be compared, which is not wrong.
  return findings.list().flatMap(({ level, text: found }) => (level === 'false' ? [found] : []))
}

// The seal of an audit package: the leaf that names the sum of its manifest, in a log that a trusted key signed.
import { createHash } from 'node:crypto'
import {
  formatNote,
  formatProofFile,
  hashLeaf,
  type InclusionProof,
  isConsistent,
  LogProblem,
  parseProofFile,
  provesInclusion,
} from '@waybill/transparency-log'
import { formatJson, ISSUED, MANIFEST, SEAL_FILES } from '../domain/audit-package/seal.ts'
import { type Leaf, parseLeaf } from '../domain/log/leaf.ts'
import { checkBody } from './bodies.ts'
import { type KnownCheckpoint, readNote } from './checkpoints.ts'
import type { Findings } from './findings.ts'
import { parseJson, toValues, type Values } from './json.ts'

const HASH_BASE64 = /^[A-Za-z0-9+/]{43}=$/

export interface Seal {
  leaf: Leaf
  /** The data of the event: who asked for what. */
  issued: Values
  actor: string
  checkpoint: KnownCheckpoint
}

/** Undefined if there is none, or a false one. */
export function readSeal(kept: ReadonlyMap<string, string>, findings: Findings): Seal | undefined {
  const files = Object.values(SEAL_FILES)
  const missing = files.filter(name => !kept.has(name))
  if (missing.length === files.length) {
    const text = 'unsealed: no log names this package, so whoever passed it on could have changed it'
    findings.add('V11', 'unknown', text)
    return undefined
  }
  const refuse = (text: string) => {
    findings.add('V11', 'false', text)
    return undefined
  }
  if (missing.length > 0) return refuse(`${missing.join(', ')} is missing`)
  const stored = readLeafFile(kept.get(SEAL_FILES.leaf) ?? '')
  const { leaf, index, body, salt, text } = stored ?? {}
  if (!leaf || body === undefined || salt === undefined)
    return refuse(`${SEAL_FILES.leaf} is not a leaf with its body`)
  if (leaf.index !== index || leaf.kind !== ISSUED)
    return refuse(`leaf ${leaf.index} (${leaf.kind}) does not record an audit package`)
  const note = kept.get(SEAL_FILES.checkpoint) ?? ''
  const proof = readProof(kept.get(SEAL_FILES.proof) ?? '', note)
  if (!proof) return refuse(`${SEAL_FILES.proof} is not a proof for ${SEAL_FILES.checkpoint}`)
  if (proof.index !== index || !provesInclusion(proof, hashLeaf(Buffer.from(text ?? ''))))
    return refuse(`leaf ${index}, which seals the package, is not in the log`)
  const recorded = checkBody(leaf, { index, salt, body }, findings)
  if (!recorded) return undefined
  const { data } = recorded
  const manifest = createHash('sha256')
    .update(kept.get(MANIFEST) ?? '')
    .digest('hex')
  if (data.format !== 'package' || data.sha256 !== manifest)
    return refuse(`leaf ${index} names another package: the manifest, or the seal, was exchanged`)
  const checkpoint = readNote(note, 'newest', SEAL_FILES.checkpoint, findings)
  return checkpoint && { leaf, issued: data, actor: String(parseJson(body)?.actor), checkpoint }
}

/** Of the log only, and only by keys that are trusted: what nobody has checked could be anything. */
export function checkSignatures(
  { note, origin }: KnownCheckpoint,
  signed_by: readonly string[],
  findings: Findings,
): void {
  const seen = new Set<string>()
  for (const { name, id } of note.signatures) {
    if (name !== origin || seen.has(id))
      findings.add(
        'V11',
        'false',
        `${SEAL_FILES.checkpoint} has a signature that the log does not write: ${name}`,
      )
    else if (!signed_by.includes(id))
      findings.add(
        'V11',
        'unknown',
        `${SEAL_FILES.checkpoint} has a signature by key ${id}, which you do not trust`,
      )
    seen.add(id)
  }
}

/** Exactly as the server writes it: a reader must not see something else in it than this. */
export function readLeafFile(file: string) {
  const values = parseJson(file)
  const { index, leaf: text, body, salt, epoch } = values ?? {}
  if (typeof index !== 'number' || typeof text !== 'string') return undefined
  const hasBody = typeof body === 'string' && typeof salt === 'string'
  const written = {
    index,
    leaf: text,
    ...(hasBody ? { body, salt } : {}),
    ...(epoch === undefined ? {} : { epoch }),
  }
  if (formatJson(written) !== file) return undefined
  return {
    index,
    text,
    leaf: parseLeaf(text),
    epoch,
    ...(hasBody ? { body, salt } : { body: undefined, salt: undefined }),
  }
}

function readProof(text: string, checkpoint: string): InclusionProof | undefined {
  try {
    const proof = parseProofFile(text)
    return formatProofFile(proof) === text && formatNote(proof.checkpoint) === checkpoint ? proof : undefined
  } catch (error) {
    if (error instanceof LogProblem) return undefined
    throw error
  }
}

/** Whether the log of the seal continues the log of the other proofs in the package. */
export function checkConsistency(
  before: KnownCheckpoint,
  { sealed, text }: { sealed: KnownCheckpoint; text: string },
  findings: Findings,
): void {
  const { from, to, hashes } = toValues(parseJson(text))
  const list = Array.isArray(hashes) ? hashes.map(String) : []
  const isWritten =
    formatJson({ from, to, hashes: list }) === text && list.every(hash => HASH_BASE64.test(hash))
  const proof = list.map(hash => Buffer.from(hash, 'base64'))
  const isShown =
    isWritten &&
    from === before.size &&
    to === sealed.size &&
    before.origin === sealed.origin &&
    isConsistent({ from: before, to: sealed }, proof)
  if (!isShown)
    findings.add('V5', 'false', 'the log of the seal does not continue the log of the other proofs')
}

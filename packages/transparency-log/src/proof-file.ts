// C2SP tlog-proof files: the index of a leaf, its inclusion proof and the signed checkpoint, for offline
// verification.
import { parseCheckpoint } from './checkpoint.ts'
import { parseHash, parseSize } from './lines.ts'
import { formatNote, type Note, parseNote } from './note.ts'
import { ensure } from './problem.ts'
import { isIncluded } from './proofs.ts'

const FIRST_LINE = 'c2sp.org/tlog-proof@v1'

export interface InclusionProof {
  index: number
  hashes: readonly Buffer[]
  /** The checkpoint, with its signatures. */
  checkpoint: Note
}

export function formatProofFile({ index, hashes, checkpoint }: InclusionProof): string {
  const lines = [FIRST_LINE, `index ${index}`, ...hashes.map(hash => hash.toString('base64')), '']
  return `${lines.join('\n')}\n${formatNote(checkpoint)}`
}

/** Ignores an `extra` line: nothing vouches for it. */
export function parseProofFile(text: string): InclusionProof {
  const end = text.indexOf('\n\n')
  const [first, ...lines] = text.slice(0, Math.max(end, 0)).split('\n')
  ensure(first === FIRST_LINE, `This is not a proof: the first line must be '${FIRST_LINE}'`)
  if (lines[0]?.startsWith('extra ')) lines.shift()
  const place = lines.shift() ?? ''
  ensure(place.startsWith('index '), 'The proof does not say where the leaf is')
  return {
    index: parseSize(place.slice('index '.length), 'The index of the leaf'),
    hashes: lines.map((line, i) => parseHash(line, `Hash ${i + 1} of the proof`)),
    checkpoint: parseNote(text.slice(end + 2)),
  }
}

/** Does not verify signatures: see `verifyNote`. */
export function provesInclusion({ index, hashes, checkpoint }: InclusionProof, leaf_hash: Buffer): boolean {
  const { size, root } = parseCheckpoint(checkpoint.text)
  return isIncluded({ index, size, leaf_hash, root }, hashes)
}

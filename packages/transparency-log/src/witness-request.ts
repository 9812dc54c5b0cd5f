// The body of `add-checkpoint` of C2SP tlog-witness: the size the witness has seen, a consistency proof, the checkpoint.
import { parseHash, parseSize } from './lines.ts'
import { formatNote, type Note, parseNote } from './note.ts'
import { ensure } from './problem.ts'

const MAX_HASHES = 63

export interface WitnessRequest {
  old_size: number
  proof: readonly Buffer[]
  checkpoint: Note
}

export function formatWitnessRequest({ old_size, proof, checkpoint }: WitnessRequest): string {
  const lines = [`old ${old_size}`, ...proof.map(hash => hash.toString('base64')), '']
  return `${lines.join('\n')}\n${formatNote(checkpoint)}`
}

export function parseWitnessRequest(body: string): WitnessRequest {
  const end = body.indexOf('\n\n')
  ensure(end !== -1, 'The request is malformed: an empty line must follow the proof')
  const [first = '', ...hashes] = body.slice(0, end).split('\n')
  ensure(first.startsWith('old '), 'The request does not begin with the old size')
  ensure(
    hashes.length <= MAX_HASHES,
    `The proof has ${hashes.length} hashes; at most ${MAX_HASHES} are possible`,
  )
  return {
    old_size: parseSize(first.slice('old '.length), 'The old size'),
    proof: hashes.map((hash, i) => parseHash(hash, `Hash ${i + 1} of the proof`)),
    checkpoint: parseNote(body.slice(end + 2)),
  }
}

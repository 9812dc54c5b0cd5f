// The rules of a witness, and of a log that requests cosignatures: C2SP tlog-witness. Pure: storage, time and
// network are elsewhere.
import { type Checkpoint, parseCheckpoint } from './checkpoint.ts'
import { getCosignedTime, type VerifierKey } from './keys.ts'
import { parseSize } from './lines.ts'
import { type NoteSignature, parseSignature, verifyNote } from './note.ts'
import { ensure, LogProblem } from './problem.ts'
import { isConsistent } from './proofs.ts'
import { EMPTY_ROOT } from './tree.ts'
import { parseWitnessRequest, type WitnessRequest } from './witness-request.ts'

/** The size and root that a witness cosigned last. */
export type SeenTree = Pick<Checkpoint, 'size' | 'root'>

export const NOTHING_SEEN: SeenTree = { size: 0, root: EMPTY_ROOT }

export type WitnessAnswer =
  | { status: 200; request: WitnessRequest; checkpoint: Checkpoint }
  | { status: 400 | 403 | 404 | 422; sentence: string }
  /** `is_fork`: the log has signed another tree of the cosigned size. */
  | { status: 409; size: number; is_fork: boolean; sentence: string }

/**
 * A witness's response to the body of `add-checkpoint`. With 200 it must store the checkpoint before
 * cosigning it, and must not evaluate anything else in between.
 */
export function judgeCheckpoint(
  body: string,
  keys: readonly VerifierKey[],
  findSeen: (origin: string) => SeenTree,
): WitnessAnswer {
  const read = readOr(400, () => {
    const request = parseWitnessRequest(body)
    return { request, checkpoint: parseCheckpoint(request.checkpoint.text) }
  })
  if ('status' in read) return read
  const { request, checkpoint } = read
  const trusted = keys.filter(({ name }) => name === checkpoint.origin)
  if (trusted.length === 0)
    return { status: 404, sentence: `This witness does not know the log '${checkpoint.origin}'` }
  const signed = readOr(403, () => {
    const signatures = verifyNote(request.checkpoint, trusted)
    ensure(signatures.length > 0, 'The checkpoint is not signed by a key of the log that this witness trusts')
    return { signatures }
  })
  if ('status' in signed) return signed
  return judgeGrowth(request, checkpoint, findSeen(checkpoint.origin))
}

function judgeGrowth(request: WitnessRequest, checkpoint: Checkpoint, seen: SeenTree): WitnessAnswer {
  const { old_size, proof } = request
  const { size, root } = checkpoint
  if (old_size > size)
    return {
      status: 400,
      sentence: `The old size ${old_size} is larger than the checkpoint, which has ${size}`,
    }
  if (old_size !== seen.size)
    return {
      status: 409,
      size: seen.size,
      is_fork: false,
      sentence: `This witness has cosigned size ${seen.size}`,
    }
  if (old_size === size && !seen.root.equals(root))
    return {
      status: 409,
      size: seen.size,
      is_fork: true,
      sentence: `This witness has cosigned another root of size ${seen.size}`,
    }
  if (!isConsistent({ from: seen, to: checkpoint }, proof))
    return { status: 422, sentence: `The proof does not show that size ${size} continues size ${old_size}` }
  return { status: 200, request, checkpoint }
}

function readOr<T>(status: 400 | 403, read: () => T): T | { status: 400 | 403; sentence: string } {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof LogProblem)) throw error
    return { status, sentence: error.message }
  }
}

/** The size in a response with status 409. */
export function parseToldSize(body: string): number {
  ensure(body.endsWith('\n'), 'The size in the answer of the witness does not end with a newline')
  return parseSize(body.slice(0, -1), 'The size in the answer of the witness')
}

export interface Cosignature {
  signature: NoteSignature
  /** Seconds since 1970. */
  time_s: number
}

/**
 * The cosignature of a checkpoint by the given key, from a response with status 200. Ignores lines by other
 * keys. Throws if it is missing or invalid, or if its time is later than `latest_s`.
 */
export function readCosignature(
  text: string,
  answer: string,
  key: VerifierKey,
  latest_s: number,
): Cosignature {
  ensure(answer.endsWith('\n'), 'The answer of the witness does not end with a newline')
  const signatures = answer.slice(0, -1).split('\n').map(parseSignature)
  const [signature] = verifyNote({ text, signatures }, [key])
  ensure(
    signature !== undefined,
    `The answer of the witness has no signature of the key ${key.name} (${key.id})`,
  )
  const time_s = getCosignedTime(signature.signature)
  ensure(time_s <= latest_s, `The cosignature of '${key.name}' has a time in the future`)
  return { signature, time_s }
}

// Signs checkpoints: only for committed leaves, and never in contradiction to what was signed before.
import { formatCheckpoint, type SignerKey, signNote } from '@waybill/transparency-log'
import { LogUnsigned } from '../lib/errors.ts'
import { putNewest } from '../lib/put-newest.ts'
import { takeTurns } from '../lib/take-turns.ts'
import { advance, type CountedParts, type OpenLog, type SignedCheckpoint } from './advance.ts'
import { LogLost } from './open-log.ts'

/** About 100 KB each. */
const MAX_OPEN_LOGS = 500
/** A log that has lost leaves is examined again after this time. */
const LOOK_AGAIN_MS = 10_000
/** Signing stops if no checkpoint has reached the evidence store for this long. Writes continue. */
const MAX_UNANCHORED_MS = 10 * 60 * 1000

export interface Signer {
  /** A checkpoint of the current log; with `size`, any that covers this many leaves. */
  sign(org_id: string, size?: number): Promise<SignedCheckpoint>
  /** For the anchor: signs even if no checkpoint has reached the evidence store for long. */
  signForAnchor(org_id: string): Promise<SignedCheckpoint>
  /** The log as it was last read. */
  findOpen(org_id: string): OpenLog | undefined
  /** Why a log cannot be signed; undefined if all can. */
  findProblem(): string | undefined
  /** The logs that lack something that was signed, as far as this process knows. */
  listLost(): { org_id: string; sentence: string }[]
  /** Nothing is signed until the log has been read again, and has everything. */
  markLost(org_id: string, sentence: string): void
  /** Reads the log again, and marks it if it lacks something. */
  examine(org_id: string): Promise<void>
}

export function makeSigner(parts: CountedParts): Signer {
  const { counters } = parts
  /** The newest checkpoints that this process has signed. */
  const signed = new Map<string, SignedCheckpoint>()
  const { readOn, isLost, ...reader } = makeReader(parts, signed)

  const countFailure = (error: unknown): never => {
    counters.signing_failures += 1
    throw error
  }

  const signNow = async (org_id: string): Promise<SignedCheckpoint> => {
    const log = await readOn(org_id)
    const size = log.tree.getSize()
    const before = signed.get(org_id)
    if (before && before.epoch === log.epoch && before.size === size && isSignedBy(before, log.keys))
      return before
    const checkpoint = await signTree(log, size, log.tree.getRoot())
    counters.checkpoints_signed += 1
    const meanwhile = signed.get(org_id)
    const is_newest = !meanwhile || meanwhile.epoch < checkpoint.epoch || meanwhile.size <= size
    if (is_newest) putNewest(signed, org_id, checkpoint, MAX_OPEN_LOGS)
    return checkpoint
  }

  const sign: Signer['sign'] = async (org_id, at_least) => {
    const before = signed.get(org_id)
    const is_enough = before && at_least !== undefined && before.size >= at_least && !isLost(org_id)
    const checkpoint = is_enough ? before : await signNow(org_id)
    refuseUnanchored(reader.findOpen(org_id))
    return checkpoint
  }

  return {
    ...reader,
    sign: (org_id, at_least) => sign(org_id, at_least).catch(countFailure),
    signForAnchor: org_id => signNow(org_id).catch(countFailure),
  }
}

interface Reader extends Omit<Signer, 'sign' | 'signForAnchor'> {
  /** Rejects if the log lacks something that was signed. */
  readOn(org_id: string): Promise<OpenLog>
  isLost(org_id: string): boolean
}

/** The logs that this process has read, and those that lack something. */
function makeReader(parts: CountedParts, signed: ReadonlyMap<string, SignedCheckpoint>): Reader {
  const { clock } = parts
  const open = new Map<string, OpenLog>()
  const lost = new Map<string, { sentence: string; at_ms: number }>()

  const markLost = (org_id: string, sentence: string) => {
    lost.set(org_id, { sentence, at_ms: clock.monotonic_ms() })
    // It may have been read before the database lost something.
    open.delete(org_id)
  }

  const readOn = takeTurns(async org_id => {
    const known = lost.get(org_id)
    if (known && clock.monotonic_ms() - known.at_ms < LOOK_AGAIN_MS)
      throw new LogUnsigned('frozen', known.sentence)
    try {
      const log = await advance(parts, org_id, { log: open.get(org_id), signed: signed.get(org_id) })
      putNewest(open, org_id, log, MAX_OPEN_LOGS)
      lost.delete(org_id)
      return log
    } catch (error) {
      // The log in memory may differ from what is stored.
      open.delete(org_id)
      if (!(error instanceof LogLost)) throw error
      markLost(org_id, error.message)
      throw new LogUnsigned('frozen', error.message)
    }
  })

  return {
    readOn,
    markLost,
    isLost: org_id => lost.has(org_id),
    listLost: () => [...lost].map(([org_id, { sentence }]) => ({ org_id, sentence })),
    findOpen: org_id => open.get(org_id),
    examine: async org_id => {
      open.delete(org_id)
      lost.delete(org_id)
      try {
        await readOn(org_id)
      } catch (error) {
        // It is marked now.
        if (!(error instanceof LogUnsigned)) throw error
      }
    },
    findProblem: () => {
      const [first] = lost
      const others = lost.size > 1 ? `, and ${lost.size - 1} more` : ''
      return first && `log of organization ${first[0]}${others}: ${first[1].sentence}`
    },
  }
}

export const UNANCHORED = 'checkpoints have not reached the evidence store for more than 10 minutes'

/** `waited_ms` is the age of the first leaf that no published checkpoint covers. */
export const isUnanchored = (waited_ms: number): boolean => waited_ms > MAX_UNANCHORED_MS

function refuseUnanchored(log: OpenLog | undefined): void {
  if (isUnanchored(log?.unanchored_ms ?? 0)) throw new LogUnsigned('unanchored', UNANCHORED)
}

function isSignedBy({ note }: SignedCheckpoint, keys: readonly SignerKey[]): boolean {
  const ids = note.signatures.map(({ id }) => id)
  return ids.length === keys.length && keys.every(({ id }) => ids.includes(id))
}

export async function signTree(log: OpenLog, size: number, root: Buffer): Promise<SignedCheckpoint> {
  const { origin, epoch, keys } = log
  const note = await signNote(formatCheckpoint({ origin, size, root }), keys)
  return { origin, epoch, size, root, note }
}

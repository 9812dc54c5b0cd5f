// A log that continues another one, because data was lost. Its first leaf names the log before and the last checkpoint of
// that. What an auditor has seen of the log before is compared with this; nothing can show it to be in the new log.
import {
  type Checkpoint,
  LogProblem,
  type Note,
  type NoteSignature,
  parseCheckpoint,
  parseNote,
  type VerifierKey,
  verifyNote,
} from '@waybill/transparency-log'
import type { CheckedBody } from './bodies.ts'
import type { Findings } from './findings.ts'
import { toValues } from './json.ts'

interface SignedCheckpoint extends Checkpoint {
  note: Note
}

/** What the first leaf says. */
export interface Reopening {
  at_ms: number
  reason: string
  /** The last checkpoint of the log before, as the leaf names it; undefined if it names none. */
  last: SignedCheckpoint | undefined
}

export const REOPENED = 'log_reopened'
/** `<host>/log/<org id>/<epoch>`. */
const ORIGIN = /^(.+)\/(\d{1,9})$/

export function readReopening(at_ms: number, { data }: CheckedBody): Reopening {
  const { checkpoint } = toValues(data.previous)
  return { at_ms, reason: String(data.reason ?? ''), last: readCheckpoint(checkpoint) }
}

function readCheckpoint(text: unknown): Reopening['last'] {
  if (typeof text !== 'string') return undefined
  try {
    const note = parseNote(text)
    return { ...parseCheckpoint(note.text), note }
  } catch (error) {
    if (!(error instanceof LogProblem)) throw error
    return undefined
  }
}

/** Whether the names differ only in the number of the log, and it was opened before. */
export function isEarlierLog(origin: string, newest: string): boolean {
  const [, base, epoch] = ORIGIN.exec(origin) ?? []
  const [, newest_base, newest_epoch] = ORIGIN.exec(newest) ?? []
  return base !== undefined && base === newest_base && Number(epoch) < Number(newest_epoch)
}

export function tellReopening({ at_ms, reason, last }: Reopening, findings: Findings): void {
  const before = last ? `'${last.origin}' after its checkpoint ${last.size}` : 'another one'
  const when = new Date(at_ms).toISOString()
  findings.add(
    'V5',
    'note',
    `this log was opened ${when} after a loss of data, and continues ${before}. The operator says why: ${reason}`,
  )
}

/** `reopening` is undefined if the body of the first leaf is missing; `keys` are all that the auditor trusts. */
export function judgeSeen(
  seen: SignedCheckpoint,
  reopening: Reopening | undefined,
  keys: readonly VerifierKey[],
  findings: Findings,
): void {
  const name = `checkpoint ${seen.size} of '${seen.origin}'`
  const signatures = verify(seen.note, keys, findings)
  if (!signatures) return
  const judgement = reopening
    ? compare(seen, reopening)
    : { isContradiction: false, text: 'the body of leaf 0 is missing, which names the end of that log' }
  const isSigned = signatures.length > 0
  const level = judgement.isContradiction && isSigned ? 'false' : 'unknown'
  const condition = judgement.isContradiction && !isSigned ? GIVE_KEY : ''
  findings.add('V5', level, `you have seen ${name}: ${judgement.text}${condition}`)
}

const GIVE_KEY =
  '. This is false if your checkpoint is genuine: give the key of that log too, with another --vkey, to have that judged'
const NOT_HERE = 'What that log recorded is not in this one: only a copy of that log can show it'

interface Judgement {
  /** The leaf and the checkpoint cannot both be true. */
  isContradiction: boolean
  text: string
}

function compare(seen: SignedCheckpoint, { last }: Reopening): Judgement {
  const agree = (text: string) => ({ isContradiction: false, text: `${text}. ${NOT_HERE}` })
  const contradict = (text: string) => ({ isContradiction: true, text })
  if (!last) return agree('leaf 0 names no checkpoint of the log before')
  if (isEarlierLog(seen.origin, last.origin)) return agree(`leaf 0 continues '${last.origin}', a later log`)
  if (seen.origin !== last.origin)
    return contradict(`leaf 0 continues '${last.origin}', and leaves out the log that you have seen`)
  if (seen.size > last.size)
    return contradict(
      `leaf 0 names ${last.size} as the last one of that log, and leaves out ${seen.size - last.size} records that were signed`,
    )
  if (seen.size < last.size) return agree(`leaf 0 names ${last.size} as the last one of that log`)
  return seen.root.equals(last.root)
    ? agree('leaf 0 names it as the last one of that log')
    : contradict('leaf 0 names another one of the same size: the log was forked')
}

/** The signatures by the given keys. Undefined if one is wrong. */
function verify(note: Note, keys: readonly VerifierKey[], findings: Findings): NoteSignature[] | undefined {
  try {
    return verifyNote(note, keys)
  } catch (error) {
    if (!(error instanceof LogProblem)) throw error
    findings.add('V2', 'false', error.message)
    return undefined
  }
}

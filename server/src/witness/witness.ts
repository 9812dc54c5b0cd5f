// A witness: cosigns a checkpoint if its log has only grown since the last one. The rules are in the package; this stores
// before it answers, and takes one request after the other.
import {
  formatSignature,
  judgeCheckpoint,
  NOTHING_SEEN,
  parseCheckpoint,
  parseVerifierKey,
  parseWitnessRequest,
  type SeenTree,
  signNote,
  type VerifierKey,
  type WitnessAnswer,
} from '@waybill/transparency-log'
import type { Clock } from '../lib/clock.ts'
import { WitnessProblem } from './problem.ts'
import type { WitnessState } from './state.ts'

interface HttpAnswer {
  status: number
  type: string
  body: string
}

export interface WitnessParts {
  state: WitnessState
  clock: Clock
  /** The keys of the trusted logs, read for each request. */
  readLogs(): Promise<readonly VerifierKey[]>
  /** For the operator of the witness. */
  print(line: string): void
}

export interface Witness {
  /** The body of `add-checkpoint`. */
  addCheckpoint(body: string): Promise<HttpAnswer>
}

export function makeWitness({ state, clock, readLogs, print }: WitnessParts): Witness {
  let last: Promise<unknown> = Promise.resolve()

  const answer = async (body: string): Promise<HttpAnswer> => {
    const keys = await readLogs()
    const seen = await findSeen(state, body)
    const judged = judgeCheckpoint(body, keys, () => seen)
    if (judged.status !== 200) {
      const is_alarm = judged.status === 422 || (judged.status === 409 && judged.is_fork)
      if (is_alarm) print(`refused: ${judged.sentence}\n${body}`)
      return refuse(judged)
    }
    const { request, checkpoint } = judged
    await state.store(request.checkpoint)
    const time_s = Math.floor(clock.now().getTime() / 1000)
    const { signatures } = await signNote(request.checkpoint.text, [state.key], time_s)
    print(`cosigned ${checkpoint.origin} ${checkpoint.size} ${checkpoint.root.toString('base64')}`)
    return { status: 200, type: 'text/plain; charset=utf-8', body: signatures.map(formatSignature).join('') }
  }

  return {
    addCheckpoint: body => {
      const turn = last.then(() => answer(body))
      last = turn.catch(() => undefined)
      return turn
    },
  }
}

function refuse(judged: Exclude<WitnessAnswer, { status: 200 }>): HttpAnswer {
  const { status, sentence } = judged
  if (status === 409) return { status, type: 'text/x.tlog.size', body: `${judged.size}\n` }
  return { status, type: 'text/plain; charset=utf-8', body: `${sentence}\n` }
}

/** The last cosigned checkpoint of the request's log. A malformed request is about no log. */
async function findSeen(state: WitnessState, body: string): Promise<SeenTree> {
  let origin: string
  try {
    origin = parseCheckpoint(parseWitnessRequest(body).checkpoint.text).origin
  } catch {
    return NOTHING_SEEN
  }
  const note = await state.find(origin)
  return note ? parseCheckpoint(note.text) : NOTHING_SEEN
}

/** One verifier key on each line; empty lines and lines that begin with `#` are ignored. */
export function parseLogs(text: string): VerifierKey[] {
  const lines = text.split('\n').map(line => line.trim())
  return lines.flatMap((line, i) => {
    if (line === '' || line.startsWith('#')) return []
    const key = readKey(line, i + 1)
    if (key.type !== 'note') throw new WitnessProblem(`Line ${i + 1} of the logs is the key of a witness`)
    return [key]
  })
}

function readKey(line: string, number: number): VerifierKey {
  try {
    return parseVerifierKey(line)
  } catch (error) {
    throw new WitnessProblem(`Line ${number} of the logs: ${(error as Error).message}`)
  }
}

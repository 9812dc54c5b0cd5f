// Asks one witness to cosign one checkpoint: C2SP tlog-witness. Whatever the witness does, this ends within the limit
// and returns a sentence.
import type { Egress } from '@waybill/egress'
import {
  type Cosignature,
  formatWitnessRequest,
  LogProblem,
  type PolicyWitness,
  parseToldSize,
  readCosignature,
} from '@waybill/transparency-log'
import type { SignedCheckpoint } from './advance.ts'

/** A cosignature has at most a few hundred bytes. */
const MAX_ANSWER_BYTES = 16 * 1024
/** How far ahead the witness's clock may be. */
const MAX_AHEAD_S = 3600
const SIZE_TYPE = 'text/x.tlog.size'

export type Asked =
  | { state: 'ok'; cosignature: Cosignature }
  | { state: 'behind' | 'unreachable' | 'fork'; message: string }

export interface AskParts {
  egress: Egress
  /** For one request and its response. */
  limit_ms: number
  now: Date
  prove(from_size: number): Promise<readonly Buffer[]>
  /** The current size of the log: another process may have had more leaves cosigned. */
  countLeaves(): Promise<number>
}

/** `old_size`: the size that the witness has cosigned, as far as is known. */
export async function askWitness(
  parts: AskParts,
  witness: PolicyWitness,
  checkpoint: SignedCheckpoint,
  old_size: number,
): Promise<Asked> {
  const first = Math.min(old_size, checkpoint.size)
  const named_size = await send(parts, witness, checkpoint, first)
  if (typeof named_size !== 'number') return named_size
  if (named_size > checkpoint.size) return explainLargerSize(parts, checkpoint, named_size)
  if (named_size === first) return explainRepeatedSize(checkpoint, named_size)
  const again = await send(parts, witness, checkpoint, named_size)
  if (typeof again !== 'number') return again
  return again === named_size
    ? explainRepeatedSize(checkpoint, named_size)
    : behind(`The witness names another size each time that it is asked: ${named_size}, then ${again}`)
}

/** The witness has cosigned more leaves than the checkpoint has. */
async function explainLargerSize(
  { countLeaves }: AskParts,
  { size }: SignedCheckpoint,
  named_size: number,
): Promise<Asked> {
  const leaves = await countLeaves()
  if (named_size <= leaves)
    return behind(`The witness has cosigned size ${named_size} while it was asked about size ${size}`)
  return fork(`The witness has cosigned ${named_size} leaves of this log, which now has only ${leaves}`)
}

/**
 * The witness rejects the size that it names itself. That is right only if it has cosigned another root of this
 * size.
 */
function explainRepeatedSize({ size }: SignedCheckpoint, named_size: number): Asked {
  if (named_size === size)
    return fork(`The witness has cosigned another log of the same name and of ${size} leaves`)
  return behind(
    `The witness contradicts itself: it has cosigned size ${named_size}, and does not accept a proof from there`,
  )
}

/** Returns the witness's size, if it responds with one. */
async function send(
  parts: AskParts,
  { key, url = '' }: PolicyWitness,
  { note, size }: SignedCheckpoint,
  old_size: number,
): Promise<Asked | number> {
  const body = formatWitnessRequest({ old_size, proof: await parts.prove(old_size), checkpoint: note })
  const answer = await post(parts, `${url.replace(/\/+$/, '')}/add-checkpoint`, body)
  if ('state' in answer) return answer
  const { status, type, text } = answer
  try {
    if (status === 200) {
      const latest_s = Math.floor(parts.now.getTime() / 1000) + MAX_AHEAD_S
      return { state: 'ok', cosignature: readCosignature(note.text, text, key, latest_s) }
    }
    if (status === 409 && type === SIZE_TYPE) return parseToldSize(text)
  } catch (error) {
    if (!(error instanceof LogProblem)) throw error
    return behind(`The answer of the witness cannot be used: ${error.message}`)
  }
  // The protocol uses 409 without a size only for another root of the same size.
  if (status === 409 && old_size === size) return explainRepeatedSize({ size } as SignedCheckpoint, size)
  // A witness that has seen nothing has nothing to contradict.
  if (status === 422 && old_size > 0)
    return fork(
      `The witness has cosigned ${old_size} leaves of this log, and the ${size} leaves of now do not begin with them`,
    )
  return behind(REFUSALS[status] ?? `The witness answered with the status ${status}`)
}

const REFUSALS: Record<number, string | undefined> = {
  403: 'The witness does not trust the keys of this log (status 403)',
  404: 'The witness does not know this log (status 404)',
}

const behind = (message: string): Asked => ({ state: 'behind', message })
const fork = (message: string): Asked => ({ state: 'fork', message })

interface Answer {
  status: number
  type: string | undefined
  text: string
}

async function post({ egress, limit_ms }: AskParts, url: string, body: string): Promise<Answer | Asked> {
  const signal = AbortSignal.timeout(limit_ms)
  try {
    const response = await egress.fetch(url, { method: 'POST', body, signal })
    const text = await readText(response)
    if (text === undefined) return behind(`The witness answered with more than ${MAX_ANSWER_BYTES} bytes`)
    const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
    return { status: response.status, type, text }
  } catch (error) {
    const message = signal.aborted
      ? `The witness did not answer within ${limit_ms / 1000} seconds`
      : `The witness cannot be reached: ${(error as Error).message}`
    return { state: 'unreachable', message }
  }
}

async function readText(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_ANSWER_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

// Sends one request to a sink, and explains in a sentence if it was not accepted.
import type { Egress } from '@waybill/egress'
import type { Refusal } from './batch.ts'

/** Enough of a response to tell what is wrong. */
const MAX_ANSWER_BYTES = 64 * 1024

export interface HttpParts {
  egress: Pick<Egress, 'fetch'>
  /** For one request and its response. */
  limit_ms: number
}

export interface HttpMessage {
  url: string
  headers: Record<string, string>
  body: string
}

/** `readRefusal` reads the body of a successful response. */
export async function postToSink(
  parts: HttpParts,
  message: HttpMessage,
  readRefusal: (text: string) => Refusal = () => undefined,
): Promise<Refusal> {
  return (await post(parts, message, readRefusal)).refusal
}

export interface Reply {
  /** Undefined without a response. */
  status: number | undefined
  refusal: Refusal
}

/** Also returns the status of the response. */
export async function post(
  { egress, limit_ms }: HttpParts,
  { url, headers, body }: HttpMessage,
  readRefusal: (text: string) => Refusal,
): Promise<Reply> {
  const signal = AbortSignal.timeout(limit_ms)
  try {
    const response = await egress.fetch(url, { method: 'POST', headers, body, signal })
    const text = await readStart(response)
    const { status } = response
    return {
      status,
      refusal: response.ok ? readRefusal(text) : `The receiver answered with the status ${status}`,
    }
  } catch (error) {
    const refusal = signal.aborted
      ? `The receiver did not answer within ${limit_ms / 1000} seconds`
      : `The receiver cannot be reached: ${(error as Error).message}`
    return { status: undefined, refusal }
  }
}

async function readStart(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    chunks.push(chunk)
    if (bytes > MAX_ANSWER_BYTES) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

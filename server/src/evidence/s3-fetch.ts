// `fetch` for the S3 library, which loses much of a refusal: it takes a missing bucket for a missing object, and reads
// the error's name only from one of the content types in use.
import { S3Refusal } from './s3-faults.ts'

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/** Enough for any error; the rest is not read. */
const MAX_ERROR_BYTES = 16 * 1024
/** Only these requests can be told that an object does not exist. */
const MAY_BE_MISSING = new Set(['GET', 'HEAD', 'DELETE'])
const CODE = /<Code>\s*([A-Za-z0-9._-]{1,64})\s*<\/Code>/
const TEXT = /<Message>([^<]{1,300})/

/** Rejects with `S3Refusal`, except for an object that does not exist. */
export function makeS3Fetch(send: Fetch): Fetch {
  return async (input, init) => {
    const response = await send(input, init)
    if (response.ok) return response
    const { status, headers } = response
    const body = await readStart(response)
    const code = CODE.exec(body)?.[1]
    const method = init?.method ?? 'GET'
    if (status === 404 && MAY_BE_MISSING.has(method) && code !== 'NoSuchBucket')
      return new Response(null, { status, headers })
    throw new S3Refusal(method, status, code, TEXT.exec(body)?.[1])
  }
}

async function readStart(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= MAX_ERROR_BYTES) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

// Uploads that are believed only when the service shows what it has kept: the length, and the SHA-256 if it knows that. An
// ETag shows nothing: under SSE-KMS it is no hash of the content.
import { S3mini } from 's3mini'
import { NotKept, S3Refusal } from './s3-faults.ts'
import type { makeS3Fetch } from './s3-fetch.ts'

export interface S3Settings {
  accessKeyId: string
  secretAccessKey: string
  endpoint: string
  region: string
  requestAbortTimeout: number
  fetch: ReturnType<typeof makeS3Fetch>
}

interface UploadedContent {
  bytes: number
  /** In hexadecimal. */
  sha256: string
}

export interface Uploads {
  /** Uploads in one request, and requires that the content was kept. */
  put(key: string, content: Buffer, expected: UploadedContent): Promise<void>
  /** Rejects with `NotKept` if the service does not have this content. */
  requireKept(key: string, expected: UploadedContent): Promise<void>
}

type AmzHeaders = Record<`x-amz-${string}`, string>

const SHA256 = 'x-amz-checksum-sha256'
const ASK_FOR_CHECKSUM: AmzHeaders = { 'x-amz-checksum-mode': 'ENABLED' }
/** How services refuse a header that they do not know. With these codes they refuse the content. */
const UNSUPPORTED = new Set([400, 501])
const WRONG_CONTENT = new Set(['BadDigest', 'XAmzContentChecksumMismatch', 'InvalidDigest'])

export function makeUploads(settings: S3Settings): Uploads {
  const s3 = new S3mini(settings)
  let knows_checksums = true

  /** Some services refuse checksums instead of ignoring them. They are not asked again. */
  async function sendWithChecksum<T>(
    headers: AmzHeaders,
    send: (headers: AmzHeaders) => Promise<T>,
  ): Promise<T> {
    if (!knows_checksums) return send({})
    try {
      return await send(headers)
    } catch (error) {
      if (!isUnsupported(error)) throw error
      const answer = await send({})
      knows_checksums = false
      return answer
    }
  }

  const requireKept: Uploads['requireKept'] = async (key, { bytes, sha256 }) => {
    const head = await sendWithChecksum(ASK_FOR_CHECKSUM, headers => readHead(settings, key, headers))
    if (!head) throw new NotKept(`${key} is not there`)
    const length = head.get('content-length')
    if (Number(length) !== bytes) throw new NotKept(`${key} has ${length} bytes instead of ${bytes}`)
    const checksum = head.get(SHA256)
    if (checksum === null || isOfParts(checksum)) return
    if (checksum !== toBase64(sha256)) throw new NotKept(`${key} has the SHA-256 ${checksum}, not ${sha256}`)
  }

  return {
    put: async (key, content, expected) => {
      await sendWithChecksum({ [SHA256]: toBase64(expected.sha256) }, headers =>
        s3.putObject(key, content, undefined, undefined, headers),
      )
      await requireKept(key, expected)
    },
    requireKept,
  }
}

function isUnsupported(error: unknown): boolean {
  return (
    error instanceof S3Refusal &&
    UNSUPPORTED.has(error.status) &&
    !WRONG_CONTENT.has(error.service_code ?? '')
  )
}

const toBase64 = (sha256: string): string => Buffer.from(sha256, 'hex').toString('base64')

/** The checksum of an upload in parts is one of their checksums, and ends with their number. */
const isOfParts = (checksum: string): boolean => checksum.includes('-')

/** Undefined if there is no such object. The library returns only the length, so the answer is kept on its way. */
async function readHead(
  settings: S3Settings,
  key: string,
  headers: AmzHeaders,
): Promise<Headers | undefined> {
  let answer: Response | undefined
  const s3 = new S3mini({
    ...settings,
    fetch: async (input, init) => {
      answer = await settings.fetch(input, init)
      return answer
    },
  })
  try {
    // The library signs and sends any headers here.
    await s3.getContentLength(key, headers as object as Parameters<S3mini['getContentLength']>[1])
  } catch (error) {
    if (answer?.status !== 404) throw (error as Error).cause
  }
  return answer?.ok ? answer.headers : undefined
}

// The evidence store on an S3-compatible service, with path-style URLs: `<prefix>/<org_id>/<aa>/<sha256>`. Content is
// staged on the local disk, so that it is complete and hashed before it is uploaded in parts of limited size.
import { createHash } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { Egress } from '@waybill/egress'
import { S3mini, S3ServiceError } from 's3mini'
import { buildPath, parsePath } from './address.ts'
import type { EvidenceStore, KeptEvidence } from './evidence.ts'
import { makeS3Anchors } from './s3-anchors.ts'
import { S3Refusal, toS3Fault } from './s3-faults.ts'
import { makeS3Fetch } from './s3-fetch.ts'
import { makeUploads, type Uploads } from './s3-uploads.ts'
import { makeStagedEvidence } from './staged-evidence.ts'
import { openStaging, type StagedFile, type StagingOptions } from './staging.ts'
import { verifyContent } from './verified.ts'

const PART_BYTES = 8 * 1024 * 1024
const REQUEST_TIMEOUT_MS = 30_000
const KEYS_PER_PAGE = 1000
const PROBE = makeProbe()

export interface S3Location {
  endpoint: string
  region: string
  bucket: string
  /** Without surrounding slashes; may be empty. */
  prefix: string
  access_key_id: string
  secret_access_key: string
}

export async function openS3Evidence(
  location: S3Location,
  staging_options: StagingOptions,
  egress: Pick<Egress, 'fetch'>,
): Promise<EvidenceStore> {
  const staging = await openStaging(staging_options)
  const settings = {
    accessKeyId: location.access_key_id,
    secretAccessKey: location.secret_access_key,
    endpoint: `${location.endpoint}/${location.bucket}`,
    region: location.region,
    fetch: makeS3Fetch(egress.fetch),
  }
  const timed = { ...settings, requestAbortTimeout: REQUEST_TIMEOUT_MS }
  const s3 = new S3mini(timed)
  const uploads = makeUploads(timed)
  // No timeout: the library's includes the body, which a slow client may take long to download.
  const reader = new S3mini(settings)
  const prefix = location.prefix === '' ? '' : `${location.prefix}/`
  const buildKey = (org_id: string, sha256: string) => prefix + buildPath({ org_id, sha256 })
  return {
    anchors: makeS3Anchors(s3, prefix, requestStore),
    stage: async (org_id, name, content) => {
      const staged = await staging.write(content)
      return makeStagedEvidence(name, staged, async file => {
        await requestStore(() => upload({ s3, uploads }, buildKey(org_id, file.sha256), file))
        await rm(file.path, { force: true })
      })
    },
    probe: async () => {
      await staging.probe()
      await requestStore(() => uploads.put(`${prefix}ready-probe`, PROBE.content, PROBE))
    },
    open: async (org_id, sha256) => requestStore(() => openObject(reader, buildKey(org_id, sha256), sha256)),
    list: () => listObjects(s3, prefix),
    remove: async (org_id, sha256, kept_before) =>
      requestStore(() => removeObject(s3, buildKey(org_id, sha256), kept_before)),
  }
}

function makeProbe() {
  const content = Buffer.from('OK')
  return { content, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') }
}

/** Turns an unreachable or rejecting service into a 503, to distinguish it from our own bugs. */
async function requestStore<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request()
  } catch (error) {
    throw toS3Fault(error)
  }
}

interface Bucket {
  s3: S3mini
  uploads: Uploads
}

/** Uploads even if the object exists: the new time keeps the sweep away until a row refers to it. */
async function upload(bucket: Bucket, key: string, staged: StagedFile): Promise<void> {
  const { path, bytes } = staged
  const file = await open(path, 'r')
  try {
    if (bytes <= PART_BYTES) await bucket.uploads.put(key, await readPart(file, 0, bytes), staged)
    else await uploadInParts(bucket, key, file, staged)
  } finally {
    await file.close()
  }
}

async function uploadInParts(
  { s3, uploads }: Bucket,
  key: string,
  file: FileHandle,
  { bytes, sha256 }: StagedFile,
): Promise<void> {
  const upload_id = await s3.getMultipartUploadId(key)
  try {
    const parts: { partNumber: number; etag: string }[] = []
    for (let from = 0; from < bytes; from += PART_BYTES) {
      const part = await readPart(file, from, Math.min(PART_BYTES, bytes - from))
      parts.push(await s3.uploadPart(key, upload_id, part, parts.length + 1))
    }
    await s3.completeMultipartUpload(key, upload_id, parts)
    // S3 may respond to the completion with 200 and an error in the body, which the client library ignores.
    await uploads.requireKept(key, { bytes, sha256 })
  } catch (error) {
    // Report the first error; the bucket's life-cycle rule removes parts that stay behind.
    await s3.abortMultipartUpload(key, upload_id).catch(() => undefined)
    throw error
  }
}

async function readPart(file: FileHandle, from: number, bytes: number): Promise<Buffer> {
  const part = Buffer.alloc(bytes)
  let filled = 0
  while (filled < bytes) {
    const { bytesRead } = await file.read(part, filled, bytes - filled, from + filled)
    if (bytesRead === 0) throw new Error('A staged file became shorter')
    filled += bytesRead
  }
  return part
}

async function openObject(
  s3: S3mini,
  key: string,
  sha256: string,
): Promise<{ bytes: number; content: Readable } | undefined> {
  const response = await s3.getObjectResponse(key)
  if (!response) return undefined
  const bytes = Number(response.headers.get('content-length') ?? 0)
  const body = response.body as ReadableStream<Uint8Array> | null
  const source = body ? Readable.fromWeb(body) : Readable.from([])
  return { bytes, content: verifyContent(source, sha256, toS3Fault) }
}

async function* listObjects(s3: S3mini, prefix: string): AsyncGenerator<KeptEvidence> {
  let token: string | undefined
  do {
    const page = await requestStore(() => s3.listObjectsPaged('/', prefix, KEYS_PER_PAGE, token))
    if (!page) throw toS3Fault(new S3Refusal('GET', 404, undefined, undefined))
    for (const { Key, Size, LastModified } of page.objects ?? []) {
      const address = Key.startsWith(prefix) ? parsePath(Key.slice(prefix.length)) : undefined
      if (address) yield { ...address, bytes: Number(Size), kept_at: new Date(LastModified) }
    }
    token = page.nextContinuationToken
  } while (token !== undefined)
}

async function removeObject(s3: S3mini, key: string, kept_before: Date | undefined): Promise<boolean> {
  if (kept_before) {
    const page = await s3.listObjectsPaged('/', key, 1)
    const [found] = page?.objects ?? []
    if (!found) return true
    if (new Date(found.LastModified) >= kept_before) return false
  }
  try {
    await s3.deleteObject(key)
  } catch (error) {
    if (!(error instanceof S3ServiceError && error.status === 404)) throw error
  }
  return true
}

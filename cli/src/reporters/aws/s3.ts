// Observes the contents of a bucket as one artifact, with the fingerprint that `dir` gives for the same files
// in a folder. So an attested folder is recognized after it was copied to a bucket. Hashes objects as they
// arrive and never stores them.
import { createHash } from 'node:crypto'
import { FingerprintProblem, fingerprintListedFiles } from '@waybill/fingerprints'
import { ConnectionProblem, type Incoming, readBody } from '../../http/exchange.ts'
import { failUsage, Problem } from '../../program/problem.ts'
import type { Observation } from '../observation.ts'
import type { SendToAws } from './client.ts'
import { type AwsCredentials, encodeStrictly } from './sign.ts'
import { readElements, readText } from './xml.ts'

export interface S3Parts {
  send: SendToAws
  getCredentials(): Promise<AwsCredentials>
  bucket: string
  selection: KeySelection
  /**
   * Hashes of objects that were read before, by key and version; a long-running reporter reads only new ones.
   */
  known: Map<string, string>
  region: string
  observed_at: number
}

export interface KeySelection {
  isPicked(key: string): boolean
  description: string
}

interface S3Object {
  key: string
  modified_ms: number
  /** Changes with the content; in quotes, as in the API. */
  tag: string
}

const MOST_READS = 3
/** An object whose key many tools normalize, such as `a/./b`, cannot be requested by its address. */
const DOT_PART = /(^|\/)\.\.?(\/|$)/

export async function observeBucket(parts: S3Parts): Promise<Observation> {
  const { bucket, selection, region, observed_at, known } = parts
  const all = await listObjects(parts)
  // A key with a trailing slash is a folder in the console.
  const objects = all.filter(({ key }) => !key.endsWith('/') && selection.isPicked(key))
  const { description } = selection
  if (objects.length === 0 && all.length > 0 && description !== '')
    failUsage(`The bucket ${bucket} has no object that counts: ${description}`)
  const scope = `${region}: bucket ${bucket}${description === '' ? '' : `, ${description}`}`
  if (objects.length === 0) return { elements: [], missing: [], observed_at, scope }
  const digests = await fingerprintObjects(objects, parts)
  const newest_ms = objects.reduce((newest, { modified_ms }) => Math.max(newest, modified_ms), 0)
  const present = new Set(objects.map(getVersion))
  for (const version of known.keys()) if (!present.has(version)) known.delete(version)
  const element = { digests, creationTimestamp: Math.floor(newest_ms / 1000) }
  return { elements: [element], missing: [], observed_at, scope }
}

/** A single object is a file with the object's name. */
async function fingerprintObjects(
  objects: readonly S3Object[],
  parts: S3Parts,
): Promise<Record<string, string>> {
  const [first, second] = objects
  if (first !== undefined && second === undefined)
    return { [first.key.split('/').at(-1) ?? first.key]: await hashObject(first, parts) }
  const by_key = new Map(objects.map(object => [object.key, object]))
  try {
    const fingerprint = await fingerprintListedFiles({
      files: objects.map(object => ({ path: object.key, hash: () => hashObject(object, parts) })),
      readFile: async key => {
        const object = by_key.get(key)
        return object === undefined ? Buffer.alloc(0) : readBody(await getObject(object, parts))
      },
    })
    return { [parts.bucket]: fingerprint }
  } catch (error) {
    if (!(error instanceof FingerprintProblem)) throw error
    throw new Problem(`The bucket ${parts.bucket} has no fingerprint: ${error.message}`, {
      exit: 'usage',
      hint: 'Leave the objects out with --exclude-regex.',
    })
  }
}

async function hashObject(object: S3Object, parts: S3Parts): Promise<string> {
  const version = getVersion(object)
  const known = parts.known.get(version)
  if (known !== undefined) return known
  for (let attempt = 1; ; attempt++) {
    try {
      const sha256 = await hashBody(await getObject(object, parts))
      parts.known.set(version, sha256)
      return sha256
    } catch (error) {
      if (!(error instanceof ConnectionProblem)) throw error
      if (attempt === MOST_READS)
        throw new Problem(`The object ${object.key} cannot be read: ${error.message}`, {
          exit: 'unreachable',
        })
    }
  }
}

async function hashBody({ body }: Incoming): Promise<string> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of body) hash.update(chunk)
  } catch (error) {
    throw new ConnectionProblem('the connection was cut', { cause: error })
  }
  // A truncated body must not look like a shorter object.
  if (!body.complete) throw new ConnectionProblem('the connection was cut')
  return hash.digest('hex')
}

/** The listed version, and no other. */
async function getObject(
  { key, tag }: S3Object,
  { send, getCredentials, bucket }: S3Parts,
): Promise<Incoming> {
  if (DOT_PART.test(key))
    throw new FingerprintProblem('invalid', `the key ${JSON.stringify(key)} has a part "." or ".."`)
  return send({
    service: 's3',
    method: 'GET',
    bucket,
    path: `/${key.split('/').map(encodeStrictly).join('/')}`,
    headers: tag === '' ? {} : { 'if-match': tag },
    credentials: await getCredentials(),
  })
}

const getVersion = ({ key, tag, modified_ms }: S3Object): string => JSON.stringify([key, tag, modified_ms])

async function listObjects({ send, getCredentials, bucket }: S3Parts): Promise<S3Object[]> {
  const objects: S3Object[] = []
  let next: string | undefined
  do {
    const answer = await send({
      service: 's3',
      method: 'GET',
      bucket,
      path: '/',
      query: {
        'list-type': '2',
        // Keys can contain characters that XML cannot.
        'encoding-type': 'url',
        ...(next === undefined ? {} : { 'continuation-token': next }),
      },
      credentials: await getCredentials(),
    })
    const xml = (await readBody(answer)).toString('utf8')
    objects.push(...readElements(xml, 'Contents').map(readObject))
    next = readText(xml, 'IsTruncated') === 'true' ? readText(xml, 'NextContinuationToken') : undefined
  } while (next !== undefined)
  return objects
}

function readObject(xml: string): S3Object {
  return {
    key: decodeURIComponent((readText(xml, 'Key') ?? '').replaceAll('+', ' ')),
    tag: readText(xml, 'ETag') ?? '',
    modified_ms: Date.parse(readText(xml, 'LastModified') ?? ''),
  }
}

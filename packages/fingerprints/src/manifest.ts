// Image manifests: their digest, and what an index or a manifest refers to. Both the OCI and the Docker media
// types.
import { createHash } from 'node:crypto'
import { parseObject, toArray, toObject, toText, type Values } from './json.ts'
import { FingerprintProblem } from './problem.ts'

/** The size that registries accept. */
export const MANIFEST_BYTES = 4 * 1024 * 1024

const INDEX_TYPES: readonly string[] = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
]
export const MANIFEST_TYPES: readonly string[] = [
  ...INDEX_TYPES,
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
]

const DIGEST = /^sha256:[0-9a-f]{64}$/

export interface PlatformManifest {
  /** Such as linux/arm64/v8. Null if the index names none. */
  platform: string | null
  digest: string
}

export interface ImageDigests {
  /**
   * The digest of the index, or of the manifest if there is no index: `sha256:` and 64 hexadecimal digits.
   */
  digest: string
  media_type: string
  /** The manifests of an index, except attestations. Empty if there is no index. */
  platforms: PlatformManifest[]
}

/** A manifest's reference to another blob. */
export interface Descriptor {
  digest: string
  media_type: string
  size: number
  /** Whether the content may be missing, because it is available elsewhere. */
  is_foreign: boolean
}

export interface Manifest extends ImageDigests {
  /** The blobs that must exist too: the manifests of an index, or the config and the layers. */
  children: Descriptor[]
  is_index: boolean
}

/** `sha256:` and the SHA-256 of exactly these bytes. */
export function digestManifest(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

export function isDigest(text: unknown): text is string {
  return typeof text === 'string' && DIGEST.test(text)
}

/** Parses a manifest with a stated media type. `source` begins the sentence of a problem. */
export function parseManifest(bytes: Uint8Array, media_type: string, source: string): Manifest {
  const refuse = (why: string) => new FingerprintProblem('invalid', `${source} ${why}`)
  if (!MANIFEST_TYPES.includes(media_type)) {
    throw refuse(`has the media type ${showShort(media_type)}, which is no manifest of an image.`)
  }
  const body = parseObject(Buffer.from(bytes).toString('utf8'))
  if (body === undefined) throw refuse('is not a JSON object, so it is no manifest.')
  if (body.mediaType !== undefined && body.mediaType !== media_type) {
    throw refuse(`states ${showShort(body.mediaType)} in its text but is delivered as ${media_type}.`)
  }
  const is_index = INDEX_TYPES.includes(media_type)
  // A document that can be read as both has another meaning for other programs.
  const [wanted, other] = is_index ? ['manifests', 'layers'] : ['layers', 'manifests']
  if (!Array.isArray(body[wanted]) || body[other] !== undefined) {
    throw refuse(`is delivered as ${media_type}, which must have "${wanted}" and no "${other}".`)
  }
  const listed = is_index ? toArray(body.manifests) : [body.config, ...toArray(body.layers)]
  const children = listed.map(each => readDescriptor(each, refuse))
  const platforms = is_index
    ? toArray(body.manifests).flatMap(each => readPlatform(toObject(each) ?? {}))
    : []
  return { digest: digestManifest(bytes), media_type, platforms, children, is_index }
}

export function readDescriptor(value: unknown, refuse: (why: string) => Error): Descriptor {
  const { digest, mediaType, size, urls } = toObject(value) ?? {}
  if (!isDigest(digest)) throw refuse(`names ${showShort(digest)}, which is not a SHA-256 digest.`)
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) {
    throw refuse(`states no valid size for ${digest}.`)
  }
  return { digest, media_type: toText(mediaType) ?? '', size, is_foreign: toArray(urls).length > 0 }
}

/** An index also contains attestations, which are not images. */
function readPlatform(entry: Values): PlatformManifest[] {
  if (toObject(entry.annotations)?.['vnd.docker.reference.type'] === 'attestation-manifest') return []
  const { os, architecture, variant } = toObject(entry.platform) ?? {}
  const parts = [os, architecture, variant].map(toText).filter(part => part !== undefined)
  const platform = toText(os) && toText(architecture) ? parts.join('/') : null
  return [{ platform, digest: String(entry.digest) }]
}

/** Formats an untrusted value for a message. */
export function showShort(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

// An image in the OCI layout, wherever its files are: finds the manifest, and verifies the digest of every
// blob.
import { parseObject, toObject, toText } from './json.ts'
import {
  type Descriptor,
  type ImageDigests,
  isDigest,
  MANIFEST_BYTES,
  MANIFEST_TYPES,
  type Manifest,
  parseManifest,
  readDescriptor,
} from './manifest.ts'
import { FingerprintProblem } from './problem.ts'

const REF_NAME = 'org.opencontainers.image.ref.name'
const FULL_NAME = 'io.containerd.image.name'

/** The files of a layout, in a folder or an archive. */
export interface FileStore {
  /** For messages. */
  shown: string
  has(name: string): boolean | Promise<boolean>
  /** Reads at most `limit` bytes; more is an error. */
  read(name: string, limit: number): Promise<Buffer>
  hash(name: string): Promise<{ sha256: string; size: number }>
}

export interface LayoutOptions {
  /** Picks one of several images by its name in the index. */
  name?: string
}

export interface LayoutImage extends ImageDigests {
  format: 'oci'
  warnings: string[]
}

export async function readLayout(store: FileStore, { name }: LayoutOptions): Promise<LayoutImage> {
  const version = toObject(parseObject((await store.read('oci-layout', MANIFEST_BYTES)).toString('utf8')))
  if (version?.imageLayoutVersion !== '1.0.0') {
    throw refuse(store, 'has an oci-layout file without "imageLayoutVersion": "1.0.0". It is no OCI layout.')
  }
  const index = parseObject((await store.read('index.json', MANIFEST_BYTES)).toString('utf8'))
  if (!Array.isArray(index?.manifests)) throw refuse(store, 'has an index.json without a list of manifests.')
  const top = pickImage(store, index.manifests, name)
  const manifest = await readManifest(store, top)
  const missing = await verifyChildren(store, manifest, new Set())
  const { digest, media_type, platforms } = manifest
  const lacking = platforms.filter(each => missing.has(each.digest)).map(each => each.platform ?? each.digest)
  const warnings = lacking.length === 0 ? [] : [`${store.shown} lacks the images for ${lacking.join(', ')}.`]
  if (platforms.length > 0 && lacking.length === platforms.length) {
    throw refuse(store, 'has an index but none of the images that it lists. Save it again with its images.')
  }
  return { format: 'oci', digest, media_type, platforms, warnings }
}

function pickImage(store: FileStore, listed: readonly unknown[], name: string | undefined): Descriptor {
  const named = listed.map(each => {
    const annotations = toObject(toObject(each)?.annotations) ?? {}
    return { each, names: [annotations[REF_NAME], annotations[FULL_NAME]].map(toText).filter(Boolean) }
  })
  const matching = name === undefined ? named : named.filter(({ names }) => names.includes(name))
  const [only, ...others] = matching
  if (only && others.length === 0)
    return readDescriptor(only.each, why => refuse(store, `has an index.json that ${why}`))
  const known = named.flatMap(({ names }) => names.slice(0, 1)).join(', ') || 'none has a name'
  const count = `has ${listed.length} images`
  if (name === undefined) throw refuse(store, `${count}. Pick one by its name (${known}).`)
  throw refuse(store, `${count}, of which ${matching.length} have the name "${name}" (names: ${known}).`)
}

async function readManifest(store: FileStore, { digest, size, media_type }: Descriptor): Promise<Manifest> {
  const bytes = await store.read(getBlobName(digest), MANIFEST_BYTES)
  const manifest = parseManifest(bytes, media_type, `The manifest ${digest} in ${store.shown}`)
  ensureSame(store, digest, { digest: manifest.digest, size: bytes.length }, size)
  return manifest
}

/** Verifies every blob that is present, each once. Returns the images of the index that are missing. */
async function verifyChildren(
  store: FileStore,
  manifest: Manifest,
  verified: Set<string>,
): Promise<ReadonlySet<string>> {
  const missing = new Set<string>()
  for (const child of manifest.children) {
    if (!(await store.has(getBlobName(child.digest)))) {
      if (!manifest.is_index && !child.is_foreign) {
        throw refuse(
          store,
          `lacks ${child.digest}, which its manifest ${manifest.digest} names. Save it again.`,
        )
      }
      missing.add(child.digest)
    } else if (manifest.is_index && MANIFEST_TYPES.includes(child.media_type)) {
      await verifyChildren(store, await readManifest(store, child), verified)
    } else if (!verified.has(`${child.digest} ${child.size}`)) {
      const { sha256, size } = await store.hash(getBlobName(child.digest))
      ensureSame(store, child.digest, { digest: `sha256:${sha256}`, size }, child.size)
      verified.add(`${child.digest} ${child.size}`)
    }
  }
  return missing
}

function ensureSame(
  store: FileStore,
  digest: string,
  found: { digest: string; size: number },
  size: number,
): void {
  if (found.digest === digest && found.size === size) return
  const message =
    `${store.shown} is damaged or was changed: ${getBlobName(digest)} has ${found.size} bytes with the digest ` +
    `${found.digest}, but ${size} bytes with the digest ${digest} are expected.`
  throw new FingerprintProblem('mismatch', message)
}

function getBlobName(digest: string): string {
  if (!isDigest(digest)) throw new FingerprintProblem('invalid', `${digest} is not a SHA-256 digest.`)
  return `blobs/sha256/${digest.slice('sha256:'.length)}`
}

function refuse(store: FileStore, why: string): FingerprintProblem {
  return new FingerprintProblem('invalid', `${store.shown} ${why}`)
}

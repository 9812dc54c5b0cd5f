// An image in a tar archive: an OCI layout, or the older format of `docker save`. Unpacks nothing.
import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { showBytes, toBytes } from './byte-paths.ts'
import { type FileStore, type LayoutImage, type LayoutOptions, readLayout } from './image-store.ts'
import { parseArray, parseObject, toArray, toObject, toText } from './json.ts'
import { MANIFEST_BYTES, showShort } from './manifest.ts'
import { explainFileError, FingerprintProblem } from './problem.ts'
import { indexTar, readBytes, type TarEntry } from './tar.ts'

const READ_BYTES = 1024 * 1024
const MAX_LINKS = 8

/** The older format of `docker save`. It has no registry manifest, so there is no manifest digest. */
interface DockerArchiveImage {
  format: 'docker-archive'
  digest: null
  /**
   * The image ID that `docker images` shows: the digest of the config, which names the content of every
   * layer.
   */
  config_digest: string
  tags: string[]
  warnings: string[]
}

export type ArchiveImage = LayoutImage | DockerArchiveImage

const NO_MANIFEST =
  'has no registry manifest: docker writes none into this format, and the digest of an image is that of its manifest. ' +
  'Only the config digest, which is the image ID, can be computed. For the digest, push the image and use the ' +
  'registry, or build it with `docker buildx build --output type=oci,dest=image.tar`.'
const MADE_BY_SAVE =
  'has a manifest that `docker save` may have made itself. If so, a registry gives the pushed image another digest.'

/** Needs no daemon and no registry. Verifies every blob of the image. */
export async function readImageArchive(path: string, options: LayoutOptions = {}): Promise<ArchiveImage> {
  const bytes = toBytes(path)
  try {
    const file = await open(path)
    try {
      if (!(await file.stat()).isFile()) {
        const message = `${showBytes(bytes)} is not a regular file. Name a tar archive, or read a folder as a layout.`
        throw new FingerprintProblem('invalid', message)
      }
      return await readArchive(
        makeArchiveStore(file, await indexTar(file, showBytes(bytes)), showBytes(bytes)),
        options,
      )
    } finally {
      await file.close()
    }
  } catch (error) {
    throw explainFileError(error, bytes)
  }
}

interface ArchiveStore extends FileStore {
  stream(name: string): AsyncGenerator<Buffer>
}

async function readArchive(store: ArchiveStore, options: LayoutOptions): Promise<ArchiveImage> {
  const hasManifestJson = await store.has('manifest.json')
  if ((await store.has('oci-layout')) && (await store.has('index.json'))) {
    const image = await readLayout(store, options)
    return hasManifestJson
      ? { ...image, warnings: [...image.warnings, `${store.shown} ${MADE_BY_SAVE}`] }
      : image
  }
  if (hasManifestJson) return readDockerArchive(store, options)
  throw refuse(store, 'is no archive of an image: it has neither index.json nor manifest.json.')
}

async function readDockerArchive(store: ArchiveStore, { name }: LayoutOptions): Promise<DockerArchiveImage> {
  const listed = parseArray((await store.read('manifest.json', MANIFEST_BYTES)).toString('utf8'))?.map(
    toObject,
  )
  if (listed === undefined) throw refuse(store, 'has a manifest.json that is not a list of images.')
  const readTags = (image: (typeof listed)[number]) =>
    toArray(image?.RepoTags).flatMap(tag => toText(tag) ?? [])
  const matching = name === undefined ? listed : listed.filter(image => readTags(image).includes(name))
  const [image, ...others] = matching
  if (!image || others.length > 0) {
    const known = listed.flatMap(readTags).join(', ') || 'none has a tag'
    throw refuse(store, `has ${listed.length} images. Pick one by its tag (${known}).`)
  }
  const config = toText(image.Config)
  if (config === undefined) throw refuse(store, 'has a manifest.json that names no config.')
  const bytes = await store.read(config, MANIFEST_BYTES)
  const layers = toArray(image.Layers).map(layer => toText(layer) ?? '')
  await verifyLayers(store, layers, toArray(toObject(parseObject(bytes.toString('utf8'))?.rootfs)?.diff_ids))
  const config_digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  const warnings = [`${store.shown} ${NO_MANIFEST}`]
  return { format: 'docker-archive', digest: null, config_digest, tags: readTags(image), warnings }
}

/** The config names the digest of each layer before it was compressed. */
async function verifyLayers(
  store: ArchiveStore,
  layers: readonly string[],
  diffIds: readonly unknown[],
): Promise<void> {
  if (layers.length !== diffIds.length) {
    throw refuse(store, `lists ${layers.length} layers, but its config ${diffIds.length}. Save it again.`)
  }
  for (const [index, layer] of layers.entries()) {
    const found = await hashUncompressed(store, layer)
    if (found === diffIds[index]) continue
    const message =
      `${store.shown} is damaged or was changed: its layer ${showShort(layer)} has the digest ${found}, but its config ` +
      `names ${showShort(diffIds[index])}.`
    throw new FingerprintProblem('mismatch', message)
  }
}

async function hashUncompressed(store: ArchiveStore, name: string): Promise<string> {
  if (!(await beginsLikeGzip(store, name))) return `sha256:${(await store.hash(name)).sha256}`
  const hash = createHash('sha256')
  await pipeline(store.stream(name), createGunzip(), async unpacked => {
    for await (const block of unpacked) hash.update(block)
  })
  return `sha256:${hash.digest('hex')}`
}

async function beginsLikeGzip(store: ArchiveStore, name: string): Promise<boolean> {
  for await (const block of store.stream(name)) return block[0] === 0x1f && block[1] === 0x8b
  return false
}

function makeArchiveStore(
  file: FileHandle,
  entries: ReadonlyMap<string, TarEntry>,
  shown: string,
): ArchiveStore {
  const find = (name: string): TarEntry => {
    let entry = entries.get(name)
    for (let links = 0; entry?.link !== undefined && links < MAX_LINKS; links++)
      entry = entries.get(entry.link)
    if (!entry || entry.link !== undefined) {
      throw new FingerprintProblem('invalid', `${shown} lacks the file ${showShort(name)}. Save it again.`)
    }
    return entry
  }
  async function* stream(name: string): AsyncGenerator<Buffer> {
    const { offset, size } = find(name)
    for (let at = 0; at < size; ) {
      const block = await readBytes(file, offset + at, Math.min(READ_BYTES, size - at))
      if (block.length === 0)
        throw new FingerprintProblem('invalid', `${shown} ends too early. Save it again.`)
      yield block
      at += block.length
    }
  }
  return {
    shown,
    stream,
    has: name => entries.has(name),
    async read(name, limit) {
      if (find(name).size > limit) {
        throw new FingerprintProblem(
          'invalid',
          `${showShort(name)} in ${shown} has more than ${limit} bytes.`,
        )
      }
      const blocks: Buffer[] = []
      for await (const block of stream(name)) blocks.push(block)
      return Buffer.concat(blocks)
    },
    async hash(name) {
      const hash = createHash('sha256')
      for await (const block of stream(name)) hash.update(block)
      return { sha256: hash.digest('hex'), size: find(name).size }
    },
  }
}

function refuse(store: FileStore, why: string): FingerprintProblem {
  return new FingerprintProblem('invalid', `${store.shown} ${why}`)
}

// Images for tests: an OCI layout and a `docker save` archive, in folders and packed by this machine's tar.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { OCI_INDEX, OCI_MANIFEST } from './registry.testing.ts'
import { makeScratch } from './tree.testing.ts'

const CONFIG = 'application/vnd.oci.image.config.v1+json'
const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip'

export interface TestDescriptor {
  mediaType: string
  digest: string
  size: number
  [more: string]: unknown
}

/** A folder with the OCI layout. `index.json` lists the images passed to `finish`. */
export async function makeLayout() {
  const folder = join(await makeScratch(), 'layout')
  await mkdir(join(folder, 'blobs', 'sha256'), { recursive: true })
  await writeFile(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}')
  const getBlobPath = (digest: string) => join(folder, 'blobs', 'sha256', digest.slice('sha256:'.length))
  const addBlob = async (content: string | Buffer, mediaType: string): Promise<TestDescriptor> => {
    const descriptor = { mediaType, digest: hash(content), size: Buffer.byteLength(content) }
    await writeFile(getBlobPath(descriptor.digest), content)
    return descriptor
  }
  const addImage = async (text: string) => {
    const layer = await addBlob(gzipSync(text), LAYER)
    const config = await addBlob(JSON.stringify({ os: 'linux', text }), CONFIG)
    const manifest = { schemaVersion: 2, mediaType: OCI_MANIFEST, config, layers: [layer] }
    return { layer, config, manifest: await addBlob(JSON.stringify(manifest), OCI_MANIFEST) }
  }
  const addIndex = (manifests: readonly TestDescriptor[]) =>
    addBlob(JSON.stringify({ schemaVersion: 2, mediaType: OCI_INDEX, manifests }), OCI_INDEX)
  const finish = (manifests: readonly object[]) =>
    writeFile(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests }))
  return { folder, getBlobPath, addBlob, addImage, addIndex, finish }
}

/** A folder with the files that `docker save` wrote before it added an OCI layout. */
export async function makeDockerSave(layers: readonly { name: string; content: Buffer; stated?: string }[]) {
  const folder = join(await makeScratch(), 'save')
  await mkdir(folder)
  const config = JSON.stringify({
    rootfs: { type: 'layers', diff_ids: layers.map(({ content, stated }) => stated ?? hash(content)) },
  })
  const configName = `${hash(config).slice('sha256:'.length)}.json`
  await writeFile(join(folder, configName), config)
  for (const { name, content } of layers) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  const image = { Config: configName, RepoTags: ['web:1.0'], Layers: layers.map(({ name }) => name) }
  await writeFile(join(folder, 'manifest.json'), JSON.stringify([image]))
  return { folder, image, config_digest: hash(config) }
}

/** Packs a folder with this machine's tar. */
export async function pack(folder: string, ...options: string[]): Promise<string> {
  const archive = join(await makeScratch(), 'image.tar')
  const { status, stderr } = spawnSync('tar', ['-C', folder, ...options, '-cf', archive, '.'], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`tar failed: ${stderr}`)
  return archive
}

export function hash(content: string | Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`
}

// The container image as an OCI layout: everything that it refers to exists and has the stated hash. Also the
// Containerfile, which must describe the same container.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type Entry, makeFile, readTar } from '../../../scripts/release/entries.mjs'
import { IMAGE_SETTINGS, makeLayer, packImage } from '../../../scripts/release/image.mjs'
import { root } from '../../../scripts/run/prepare.mjs'

const release = { version: '1.2.3', commit: 'c0ffee', mtime: new Date('2026-01-02T03:04:05Z') }

interface Descriptor {
  mediaType: string
  digest: string
  size: number
  platform?: { architecture: string; os: string }
  annotations?: Record<string, string>
}

const hash = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`

async function makeImage() {
  const shared = await makeLayer('program', [makeFile('opt/waybill/bin/waybill', 'x', 0o755)], release.mtime)
  const images = await Promise.all(
    ['x64', 'arm64'].map(async arch => ({
      arch,
      layers: [await makeLayer('base', [makeFile('etc/arch', arch)], release.mtime), shared],
    })),
  )
  const entries = await readTar(await packImage(images, release))
  return new Map(entries.map((entry): [string, Entry] => [entry.path, entry]))
}

describe('the image', async () => {
  const files = await makeImage()
  const readBlob = ({ digest, size }: Descriptor) => {
    const body = files.get(`blobs/${digest.replace(':', '/')}`)?.body ?? Buffer.alloc(0)
    expect([hash(body), body.length]).toEqual([digest, size])
    return body
  }
  const read = (descriptor: Descriptor) => JSON.parse(readBlob(descriptor).toString('utf8'))
  const top = JSON.parse(files.get('index.json')?.body?.toString('utf8') ?? '{}')
  const index = read(top.manifests[0])

  it('is one index with both platforms', () => {
    expect(JSON.parse(files.get('oci-layout')?.body?.toString('utf8') ?? '')).toEqual({
      imageLayoutVersion: '1.0.0',
    })
    expect(top.manifests).toHaveLength(1)
    expect(top.manifests[0].annotations['org.opencontainers.image.ref.name']).toBe('1.2.3')
    expect(index.manifests.map(({ platform }: Descriptor) => platform)).toEqual([
      { architecture: 'amd64', os: 'linux' },
      { architecture: 'arm64', os: 'linux' },
    ])
  })

  it('has every layer, with the hash of its content', () => {
    for (const descriptor of index.manifests) {
      const manifest = read(descriptor)
      const config = read(manifest.config)
      expect(config.architecture).toBe(descriptor.platform.architecture)
      expect(config.rootfs.diff_ids).toEqual(
        manifest.layers.map((layer: Descriptor) => hash(gunzipSync(readBlob(layer)))),
      )
      expect(config.config).toMatchObject(IMAGE_SETTINGS)
    }
  })

  it('has a layer that both platforms share only once', () => {
    const blobs = [...files.values()].filter(({ path, folder }) => path.startsWith('blobs/') && !folder)
    // Two bases, the shared layer, two configs, two manifests, the index.
    expect(blobs).toHaveLength(8)
  })

  it('has the same bytes when it is built again', async () => {
    const again = await makeImage()
    expect([...again]).toEqual([...files])
  })
})

describe('the Containerfile', () => {
  const text = readFileSync(join(root, 'deploy', 'container', 'Containerfile'), 'utf8')
  const last = text.slice(text.lastIndexOf('\nFROM '))
  const readAll = (word: string) =>
    [...last.matchAll(new RegExp(`^${word} (.*)$`, 'gm'))].map(([, value = '']) => value)

  it('describes the same container as the released image', () => {
    expect(readAll('USER')).toEqual([IMAGE_SETTINGS.User])
    expect(readAll('ENV')).toEqual(IMAGE_SETTINGS.Env)
    expect(readAll('WORKDIR')).toEqual([IMAGE_SETTINGS.WorkingDir])
    expect(readAll('VOLUME')).toEqual(Object.keys(IMAGE_SETTINGS.Volumes))
    expect(readAll('EXPOSE')).toEqual(Object.keys(IMAGE_SETTINGS.ExposedPorts))
    expect(readAll('STOPSIGNAL')).toEqual([IMAGE_SETTINGS.StopSignal])
    expect(readAll('ENTRYPOINT').map(value => JSON.parse(value))).toEqual([IMAGE_SETTINGS.Entrypoint])
    expect(readAll('CMD').map(value => JSON.parse(value))).toEqual([IMAGE_SETTINGS.Cmd])
  })

  it('has the same health check', () => {
    const { Test, Interval, Timeout, StartPeriod, Retries } = IMAGE_SETTINGS.Healthcheck
    const seconds = (ns: number) => `${ns / 1e9}s`
    const options = `--interval=${seconds(Interval)} --timeout=${seconds(Timeout)} --start-period=${seconds(StartPeriod)} --retries=${Retries}`
    const [value = ''] = readAll('HEALTHCHECK')
    expect(value.startsWith(`${options} CMD `)).toBe(true)
    expect(JSON.parse(value.slice(value.indexOf('[')))).toEqual(Test.slice(1))
  })
})

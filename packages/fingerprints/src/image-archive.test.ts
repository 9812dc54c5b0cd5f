import { spawnSync } from 'node:child_process'
import { readFile, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { hash, makeDockerSave, makeLayout, pack } from './image.testing.ts'
import { readImageArchive } from './image-archive.ts'
import { expectProblem } from './problem.testing.ts'
import { file, makeScratch, makeTree } from './tree.testing.ts'

const layer = (name: string, text: string) => ({ name, content: Buffer.from(text) })

describe('an archive of docker save', () => {
  it('has the digest of its config, and warns that it has no manifest', async () => {
    const { folder, config_digest } = await makeDockerSave([
      layer('a/layer.tar', 'A'),
      layer('b/layer.tar', 'B'),
    ])
    expect(await readImageArchive(await pack(folder))).toEqual({
      format: 'docker-archive',
      digest: null,
      config_digest,
      tags: ['web:1.0'],
      warnings: [
        expect.stringMatching(/has no registry manifest: .* config digest, which is the image ID.*type=oci/),
      ],
    })
  })

  it('may have compressed layers and links between layers', async () => {
    const plain = Buffer.alloc(3 * 1024 * 1024, 'layer')
    const packed = { name: 'a/layer.tar', content: gzipSync(plain), stated: hash(plain) }
    const { folder, image, config_digest } = await makeDockerSave([
      packed,
      { ...packed, name: 'b/layer.tar' },
    ])
    await symlink('../a/layer.tar', join(folder, 'b', 'link.tar'))
    const linked = { ...image, Layers: ['a/layer.tar', 'b/link.tar'] }
    await writeFile(join(folder, 'manifest.json'), JSON.stringify([linked]))
    expect(await readImageArchive(await pack(folder))).toMatchObject({ config_digest })
  })

  it('with a changed layer is refused', async () => {
    const { folder } = await makeDockerSave([{ ...layer('a.tar', 'A'), stated: hash('B') }])
    await expectProblem(readImageArchive(await pack(folder)), 'mismatch', /its layer "a\.tar" has the digest/)
  })

  it('with several images needs a tag', async () => {
    const { folder, image, config_digest } = await makeDockerSave([layer('a.tar', 'A')])
    await writeFile(
      join(folder, 'manifest.json'),
      JSON.stringify([image, { ...image, RepoTags: ['web:2.0'] }]),
    )
    const archive = await pack(folder)
    await expectProblem(
      readImageArchive(archive),
      'invalid',
      /has 2 images\. Pick one by its tag \(web:1\.0, web:2\.0\)/,
    )
    expect(await readImageArchive(archive, { name: 'web:2.0' })).toMatchObject({
      config_digest,
      tags: ['web:2.0'],
    })
  })

  it.each([
    ['[{}]', /names no config/],
    ['{}', /not a list of images/],
    ['[]', /has 0 images/],
    ['[{"Config":"none.json"}]', /lacks the file "none\.json"/],
    ['[{"Config":"manifest.json","Layers":["x"]}]', /lists 1 layers, but its config 0/],
  ])('with the manifest.json %s is refused', async (content, message) => {
    const { folder } = await makeDockerSave([])
    await writeFile(join(folder, 'manifest.json'), content)
    await expectProblem(readImageArchive(await pack(folder)), 'invalid', message)
  })
})

describe('an archive', () => {
  it.each(['gnu', 'pax', 'ustar', 'v7'])('may have the format %s', async format => {
    const { folder, addImage, finish } = await makeLayout()
    const { manifest } = await addImage('one')
    await finish([manifest])
    expect(await readImageArchive(await pack(folder, `--format=${format}`))).toMatchObject({
      digest: manifest.digest,
    })
  })

  it.each(['gnu', 'pax', 'ustar'])('may have long names in the format %s', async format => {
    const name = `${'long/'.repeat(24)}${'a'.repeat(90)}.tar`
    const { folder, config_digest } = await makeDockerSave([layer(name, 'A')])
    expect(await readImageArchive(await pack(folder, `--format=${format}`))).toMatchObject({ config_digest })
  })

  it('of both formats has the digest of its manifest, with a warning', async () => {
    const { folder, addImage, finish } = await makeLayout()
    const { manifest } = await addImage('one')
    await finish([manifest])
    await writeFile(join(folder, 'manifest.json'), '[]')
    expect(await readImageArchive(await pack(folder))).toMatchObject({
      digest: manifest.digest,
      warnings: [expect.stringMatching(/`docker save` may have made itself/)],
    })
  })

  it.each([
    ['gzip', [0x1f, 0x8b], /is compressed with gzip\. Unpack it with gunzip first\./],
    ['zstd', [0x28, 0xb5, 0x2f, 0xfd], /is compressed with zstd/],
    ['nothing known', [1, 2, 3], /is no tar archive/],
  ])('that begins like %s is refused', async (_, start, message) => {
    const path = join(await makeScratch(), 'image.tar')
    await writeFile(path, Buffer.concat([Buffer.from(start), Buffer.alloc(2000, 7)]))
    await expectProblem(readImageArchive(path), 'invalid', message)
  })

  it('of anything else is refused', async () => {
    const archive = await pack(await makeTree([file('a')]))
    await expectProblem(readImageArchive(archive), 'invalid', /neither index\.json nor manifest\.json/)
  })

  it('with two files of one name is refused', async () => {
    const { folder, addImage, finish } = await makeLayout()
    await finish([(await addImage('one')).manifest])
    const archive = await pack(folder)
    spawnSync('tar', ['-C', folder, '-rf', archive, 'index.json'])
    await expectProblem(readImageArchive(archive), 'invalid', /two entries with the name "index\.json"/)
  })

  it('that is truncated is refused', async () => {
    const content = Buffer.alloc(100_000, 'x')
    const { folder } = await makeDockerSave([{ name: 'zzz.tar', content }])
    const archive = await pack(folder, '--sort=name')
    const whole = await readFile(archive)
    await truncate(archive, whole.indexOf('zzz.tar') + 4096)
    await expectProblem(readImageArchive(archive), 'invalid', /ends too early/)
  })

  it('with a damaged header is refused', async () => {
    const { folder } = await makeDockerSave([layer('a.tar', 'A')])
    const archive = await pack(folder)
    const bytes = await readFile(archive)
    bytes[bytes.indexOf('manifest.json')] = 0x4d
    await writeFile(archive, bytes)
    await expectProblem(readImageArchive(archive), 'invalid', /is a damaged tar archive/)
  })

  it('that is a folder or does not exist is refused', async () => {
    const { folder } = await makeLayout()
    await expectProblem(readImageArchive(folder), 'invalid', /is not a regular file/)
    await expectProblem(readImageArchive(join(folder, 'none.tar')), 'not_found', /does not exist/)
  })
})

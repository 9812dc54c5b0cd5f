import { appendFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeLayout, pack } from './image.testing.ts'
import { readImageArchive } from './image-archive.ts'
import { readOciLayout } from './oci-layout.ts'
import { expectProblem } from './problem.testing.ts'
import { OCI_INDEX, OCI_MANIFEST } from './registry.testing.ts'

const AMD = { platform: { os: 'linux', architecture: 'amd64' } }
const ARM = { platform: { os: 'linux', architecture: 'arm64' } }

/** A layout reads the same from a folder and from an archive. */
const READERS = [
  ['a folder', readOciLayout],
  [
    'an archive',
    async (folder: string, options?: { name: string }) => readImageArchive(await pack(folder), options),
  ],
] as const

describe.each(READERS)('an OCI layout in %s', (_, read) => {
  it('has the digest of its one manifest', async () => {
    const { folder, addImage, finish } = await makeLayout()
    const { manifest } = await addImage('one')
    await finish([manifest])
    expect(await read(folder)).toEqual({
      format: 'oci',
      digest: manifest.digest,
      media_type: OCI_MANIFEST,
      platforms: [],
      warnings: [],
    })
  })

  it('has the digest of its index and of each platform', async () => {
    const { folder, addImage, addIndex, finish } = await makeLayout()
    const amd = { ...(await addImage('amd')).manifest, ...AMD }
    const arm = { ...(await addImage('arm')).manifest, ...ARM }
    const index = await addIndex([amd, arm])
    await finish([index])
    expect(await read(folder)).toMatchObject({
      digest: index.digest,
      media_type: OCI_INDEX,
      platforms: [
        { platform: 'linux/amd64', digest: amd.digest },
        { platform: 'linux/arm64', digest: arm.digest },
      ],
      warnings: [],
    })
  })

  it('may lack some platforms of its index, and warns about them, but not all', async () => {
    const { folder, addImage, addIndex, finish, getBlobPath } = await makeLayout()
    const [amd, arm] = [(await addImage('amd')).manifest, (await addImage('arm')).manifest]
    await finish([
      await addIndex([
        { ...amd, ...AMD },
        { ...arm, ...ARM },
      ]),
    ])
    await rm(getBlobPath(arm.digest))
    expect((await read(folder)).warnings).toEqual([
      expect.stringMatching(/ lacks the images for linux\/arm64\.$/),
    ])
    await rm(getBlobPath(amd.digest))
    await expectProblem(read(folder), 'invalid', /none of the images that it lists/)
  })

  it('with several images needs the name of one', async () => {
    const { folder, addImage, finish } = await makeLayout()
    const [one, two] = [(await addImage('one')).manifest, (await addImage('two')).manifest]
    const name = (text: string) => ({ annotations: { 'org.opencontainers.image.ref.name': text } })
    await finish([
      { ...one, ...name('1.0') },
      { ...two, ...name('2.0') },
    ])
    await expectProblem(read(folder), 'invalid', /has 2 images\. Pick one by its name \(1\.0, 2\.0\)/)
    await expectProblem(read(folder, { name: '3.0' }), 'invalid', /of which 0 have the name "3\.0"/)
    expect(await read(folder, { name: '2.0' })).toMatchObject({ digest: two.digest })
  })

  it.each(['manifest', 'config', 'layer'] as const)('with a changed %s is refused', async part => {
    const { folder, addImage, finish, getBlobPath } = await makeLayout()
    const image = await addImage('one')
    await finish([image.manifest])
    await appendFile(getBlobPath(image[part].digest), ' ')
    await expectProblem(
      read(folder),
      'mismatch',
      `is damaged or was changed: blobs/sha256/${image[part].digest.slice(7)}`,
    )
  })

  it('without a layer is refused, unless the layer is available elsewhere', async () => {
    const { folder, addImage, addBlob, finish, getBlobPath } = await makeLayout()
    const { layer, config, manifest } = await addImage('one')
    await finish([manifest])
    await rm(getBlobPath(layer.digest))
    await expectProblem(
      read(folder),
      'invalid',
      `lacks ${layer.digest}, which its manifest ${manifest.digest} names`,
    )
    const layers = [{ ...layer, urls: ['https://example.com/layer'] }]
    const foreign = { schemaVersion: 2, mediaType: OCI_MANIFEST, config, layers }
    const { digest, ...rest } = await addBlob(JSON.stringify(foreign), OCI_MANIFEST)
    await finish([{ digest, ...rest }])
    expect(await read(folder)).toMatchObject({ digest })
  })

  it.each([
    ['oci-layout', '{"imageLayoutVersion":"2.0.0"}', /without "imageLayoutVersion": "1\.0\.0"/],
    ['oci-layout', '[', /without "imageLayoutVersion"/],
    ['index.json', '{}', /without a list of manifests/],
    ['index.json', '{"manifests":[]}', /has 0 images/],
    ['index.json', '{"manifests":[{"digest":"sha256:../../etc/passwd"}]}', /not a SHA-256 digest/],
    ['index.json', '{"manifests":[7]}', /not a SHA-256 digest/],
    ['index.json', ' '.repeat(4 * 1024 * 1024 + 1), /4194304 bytes/],
  ])('with %s %j is refused', async (name, content, message) => {
    const { folder, finish, addImage } = await makeLayout()
    await finish([(await addImage('one')).manifest])
    await writeFile(join(folder, name), content)
    await expectProblem(read(folder), 'invalid', message)
  })
})

describe('a folder', () => {
  it('that is not an OCI layout is refused', async () => {
    const { folder } = await makeLayout()
    await expectProblem(readOciLayout(folder), 'invalid', /has no oci-layout and index\.json/)
    await expectProblem(readOciLayout(join(folder, 'none')), 'not_found', /does not exist/)
  })
})

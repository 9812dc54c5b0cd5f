import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readBuildMetadata } from './build-metadata.ts'
import { expectProblem } from './problem.testing.ts'
import { makeScratch } from './tree.testing.ts'

const DIGEST = `sha256:${'1'.repeat(64)}`
const BUILT = {
  'containerimage.config.digest': `sha256:${'2'.repeat(64)}`,
  'containerimage.descriptor': { mediaType: 'application/vnd.oci.image.index.v1+json', digest: DIGEST },
  'containerimage.digest': DIGEST,
  'image.name': 'ghcr.io/acme/web:1,ghcr.io/acme/web:latest',
}

async function write(content: unknown): Promise<string> {
  const path = join(await makeScratch(), 'metadata.json')
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

describe('build metadata', () => {
  const expected = {
    digest: DIGEST,
    media_type: 'application/vnd.oci.image.index.v1+json',
    names: ['ghcr.io/acme/web:1', 'ghcr.io/acme/web:latest'],
  }

  it('has the digest', async () => expect(await readBuildMetadata(await write(BUILT))).toEqual(expected))

  it('of bake has a digest for each target', async () => {
    const path = await write({ web: BUILT, 'buildx.build.warnings': {} })
    expect(await readBuildMetadata(path)).toEqual(expected)
    expect(await readBuildMetadata(path, { target: 'web' })).toEqual(expected)
    await expectProblem(
      readBuildMetadata(path, { target: 'api' }),
      'invalid',
      /has no target "api"\. It has: web/,
    )
    const two = await write({ web: BUILT, api: BUILT })
    await expectProblem(readBuildMetadata(two), 'invalid', /several targets\. Pick one of: web, api/)
  })

  it('may contain only the digest', async () => {
    const path = await write({ 'containerimage.digest': DIGEST })
    expect(await readBuildMetadata(path)).toEqual({ digest: DIGEST, media_type: null, names: [] })
  })

  it.each([
    ['{', /is not a JSON object/],
    [{}, /has no "containerimage\.digest": the build exported no image/],
    [{ 'containerimage.digest': 'sha256:1' }, /which is not a SHA-256 digest/],
    [{ ...BUILT, 'containerimage.config.digest': DIGEST }, /only loaded into the engine/],
  ])('%j is refused', async (content, message) => {
    await expectProblem(readBuildMetadata(await write(content)), 'invalid', message)
  })

  it('must exist', async () => {
    await expectProblem(readBuildMetadata('/nowhere/metadata.json'), 'not_found', /does not exist/)
  })
})

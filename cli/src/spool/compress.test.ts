import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compress, SMALLEST_BYTES } from './compress.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-compress-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

async function run(bytes: Buffer, size = bytes.length): Promise<Buffer | undefined> {
  const path = join(folder, 'file.bin')
  writeFileSync(path, bytes)
  return compress(path, size)
}

const random = (bytes: number) => randomBytes(bytes)
/** Like the output of tools: much of it repeats, but not all. */
const text = (bytes: number) =>
  Buffer.from(
    random(bytes / 8)
      .toString('hex')
      .replaceAll('a', ' testcase name= '),
  ).subarray(0, bytes)

describe('compressing', () => {
  it('gives the same content in fewer bytes', async () => {
    const bytes = text(2 * SMALLEST_BYTES)
    const packed = await run(bytes)
    expect(packed?.length).toBeLessThan(bytes.length * 0.75)
    expect(gunzipSync(packed ?? Buffer.alloc(0)).equals(bytes)).toBe(true)
  })

  it('never has more than the size that was announced', async () => {
    const bytes = text(2 * SMALLEST_BYTES)
    const packed = await run(bytes, SMALLEST_BYTES)
    expect(gunzipSync(packed ?? Buffer.alloc(0)).equals(bytes.subarray(0, SMALLEST_BYTES))).toBe(true)
  })

  it.each([
    ['it saves nothing', () => random(2 * SMALLEST_BYTES)],
    [
      'it saves less than a quarter',
      () => Buffer.concat([random(8 * SMALLEST_BYTES), text(2 * SMALLEST_BYTES)]),
    ],
    ['the service would take it for a bomb', () => Buffer.alloc(32 * SMALLEST_BYTES)],
    [
      'the service would take its beginning for a bomb',
      () => Buffer.concat([Buffer.alloc(32 * SMALLEST_BYTES), random(SMALLEST_BYTES)]),
    ],
  ])('is not done if %s', async (_, make) => expect(await run(make())).toBeUndefined())
})

// The largest attachments: 64 MiB as sent, and 256 MiB for all files of a request together.
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attestFiles, hashOf } from '../../../test/evidence-forms.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

const MIB = 1024 * 1024
const TRAIL = '/attestations/acme/ci/trail/run'
const GZIP = ['Content-Encoding: gzip']

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await app.member.put('/flows/acme', { name: 'ci', description: '' })
  await app.member.put('/trails/acme/ci', { name: 'run' })
})
afterAll(() => app.stop())

const listStaged = () => readdirSync(join(app.evidence_dir, 'staging'))

async function findStored(attestation_name: string) {
  const { body } = await app.reader.get(`${TRAIL}/${attestation_name}`)
  return body[0]
}

/** Random at every fourth kilobyte: it compresses, but not absurdly well. */
function makeCompressible(bytes: number): Buffer {
  const content = Buffer.alloc(bytes)
  for (let at = 0; at + 128 < bytes; at += 4096) randomBytes(128).copy(content, at)
  return content
}

describe('a file that is sent compressed', () => {
  it('may be larger than 64 MiB when it is decompressed', async () => {
    const large = makeCompressible(65 * MIB)
    const files = [{ content: gzipSync(large), headers: GZIP }]
    expect((await attestFiles(app.member, TRAIL, 'large', files)).status).toBe(201)
    expect((await findStored('large')).evidence_files[0]).toMatchObject({
      bytes: 65 * MIB,
      sha256: hashOf(large),
    })
  })

  it('is 413 if the files have more than 256 MiB together', async () => {
    const packed_half = gzipSync(makeCompressible(129 * MIB), { level: 1 })
    const half = { content: packed_half, headers: GZIP }
    const { status, body } = await attestFiles(app.member, TRAIL, 'halves', [half, half])
    const sentence = 'The files have more than 268435456 bytes together, decompressed'
    expect([status, body]).toEqual([413, { message: sentence, errors: { attachment_file: sentence } }])
    expect(listStaged()).toEqual([])
  })
})

describe('413 and nothing stored', () => {
  it('is for a second file that is one byte too long, while 64 MiB are accepted', async () => {
    const whole = Buffer.alloc(64 * MIB)
    const first = { content: 'first of two' }
    expect((await attestFiles(app.member, TRAIL, 'whole', [first, { content: whole }])).status).toBe(201)
    const more = Buffer.alloc(64 * MIB + 1)
    const { status, body } = await attestFiles(app.member, TRAIL, 'more', [first, { content: more }])
    expect([status, body]).toEqual([413, { message: 'A file part is larger than 67108864 bytes' }])
    expect(await findStored('more')).toBeUndefined()
    expect(listStaged()).toEqual([])
  })
})

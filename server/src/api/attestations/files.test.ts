// Attestations with several files: each has its own name, size and hash, can be downloaded alone, and is stored once.
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import * as zlib from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  attestFiles,
  buildFilePart,
  buildJsonPart,
  hashOf,
  type SentFile,
  sendParts,
} from '../../../test/evidence-forms.ts'
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

async function findStored(attestation_name: string) {
  const { body } = await app.reader.get(`${TRAIL}/${attestation_name}`)
  return body[0]
}

async function attest(attestation_name: string, files: readonly SentFile[]) {
  const { status, body } = await attestFiles(app.member, TRAIL, attestation_name, files)
  expect([status, body]).toEqual([201, 'OK'])
  return findStored(attestation_name)
}

const download = async (attestation_id: string, query = '') => {
  const url = `/api/v2${TRAIL}/attestation/${attestation_id}/evidence${query}`
  const headers = { authorization: `Bearer ${app.reader.key}` }
  const {
    statusCode,
    rawPayload,
    headers: answered,
  } = await app.server.inject({ method: 'GET', url, headers })
  return { status: statusCode, bytes: rawPayload, headers: answered }
}

const listStaged = () => readdirSync(join(app.evidence_dir, 'staging'))
const listKept = async () => {
  const found: string[] = []
  for await (const { sha256 } of app.evidence.list()) found.push(sha256)
  return found.sort()
}

describe('201', () => {
  it('lists each file with its own name, type, size and hash; the old fields show the first', async () => {
    const stored = await attest('several', [
      {
        name: 'junit.xml',
        content: '<testsuite/>',
        headers: ['Content-Type: application/xml; charset=utf-8'],
      },
      { name: 'scan.sarif', content: '{"runs":[]}', headers: ['Content-Type: application/sarif+json'] },
      { name: 'empty.log', content: '' },
    ])
    const contents = ['<testsuite/>', '{"runs":[]}', '']
    const names = ['junit.xml', 'scan.sarif', 'empty.log']
    const types = ['application/xml', 'application/sarif+json', 'application/octet-stream']
    const { href } = stored._links.evidence
    expect(stored.evidence_files).toEqual(
      contents.map((content, i) => ({
        name: names[i],
        media_type: types[i],
        bytes: content.length,
        sha256: hashOf(content),
        content_encoding: null,
        stored_bytes: content.length,
        stored_sha256: hashOf(content),
        _links: { self: { href: `${href}?file=${i + 1}` } },
      })),
    )
    expect(stored.evidence_archive_fingerprint).toBe(hashOf('<testsuite/>'))
    expect(stored.evidence_archive_path).toMatch(/\/junit\.xml$/)
    expect((await listKept()).filter(kept => contents.map(hashOf).includes(kept))).toHaveLength(3)
  })

  it.each([0, 1, 2, 3])(
    'takes the JSON at place %i between the files, which keep their order',
    async place => {
      const files = ['one', 'two', 'three'].map(content => buildFilePart({ name: content, content }))
      const name = `order-${place}`
      const json = buildJsonPart({ attestation_name: name, is_compliant: true })
      const parts = [...files.slice(0, place), json, ...files.slice(place)]
      expect((await sendParts(app.member, `${TRAIL}/generic`, parts)).status).toBe(201)
      const { evidence_files } = await findStored(name)
      expect(evidence_files.map((file: { name: string }) => file.name)).toEqual(['one', 'two', 'three'])
    },
  )

  it('takes ten files, and the same name or content more than once', async () => {
    const files = Array.from({ length: 10 }, (_, i) => ({ name: 'same.txt', content: `content ${i % 2}` }))
    const { evidence_files, attestation_id } = await attest('ten', files)
    expect(evidence_files).toHaveLength(10)
    const kept = await listKept()
    for (const content of ['content 0', 'content 1'])
      expect(kept.filter(sha256 => sha256 === hashOf(content))).toHaveLength(1)
    expect((await download(attestation_id, '?file=10')).bytes.toString()).toBe('content 1')
  })

  it.each([
    ['a path', '../../etc/passwd', 'passwd'],
    ['a path with backslashes', 'C:\\\\temp\\\\a.txt', 'a.txt'],
    ['control characters', 'a\u0001b\u007f.txt', 'a_b_.txt'],
    ['dots alone', '..', 'attachment_file'],
    ['300 bytes', 'n'.repeat(300), 'n'.repeat(255)],
  ])('stores a hostile name as harmless text: %s', async (_, name, expected) => {
    const { evidence_files, attestation_id } = await attest(`hostile-${name.length}`, [
      { name: 'first', content: 'first' },
      { name, content: 'second' },
    ])
    expect(evidence_files[1].name).toBe(expected)
    const { status, headers, bytes } = await download(attestation_id, '?file=2')
    expect([status, bytes.toString()]).toEqual([200, 'second'])
    expect(headers['content-disposition']).toMatch(
      /^attachment; filename="[A-Za-z0-9._-]+"; filename\*=UTF-8''/,
    )
  })

  it('recognizes a request that is sent again by all of its files', async () => {
    const send = (files: readonly SentFile[]) => {
      const parts = [
        buildJsonPart({ attestation_name: 'again', is_compliant: true }),
        ...files.map(buildFilePart),
      ]
      const body = Buffer.concat([...parts, Buffer.from('--waybill-test-boundary--\r\n')])
      return app.member.call('POST', `${TRAIL}/generic`, body, {
        'content-type': 'multipart/form-data; boundary=waybill-test-boundary',
        'idempotency-key': 'several-files',
      })
    }
    const [a, b, c] = ['a', 'b', 'c'].map(content => ({ content }))
    if (!a || !b || !c) throw new Error('three files')
    expect((await send([a, b])).status).toBe(201)
    expect((await send([a, b])).status).toBe(201)
    expect((await app.reader.get(`${TRAIL}/again`)).body).toHaveLength(1)
    for (const other of [[a], [a, c], [b, a], [a, b, c]]) expect((await send(other)).status).toBe(422)
  })
})

describe('a download', () => {
  it('is the requested file, by its position or its hash, with the same protection for browsers', async () => {
    const [first, second] = [randomBytes(100_000), Buffer.from('<script>alert(1)</script>')]
    const { attestation_id } = await attest('pick', [
      { name: 'first.bin', content: first },
      { name: 'second.html', content: second, headers: ['Content-Type: text/html'] },
    ])
    for (const query of ['', '?file=1', `?file=${hashOf(first)}`])
      expect((await download(attestation_id, query)).bytes.equals(first)).toBe(true)
    for (const query of ['?file=2', `?file=${hashOf(second)}`]) {
      const { bytes, headers } = await download(attestation_id, query)
      expect(bytes.equals(second)).toBe(true)
      expect(headers).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-length': String(second.length),
        'content-disposition': expect.stringMatching(/^attachment;.*second\.html/),
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining('sandbox'),
      })
    }
  })

  it('is 404 for a file that the attestation does not have, also if another one has it', async () => {
    const { attestation_id } = await attest('mine', [{ content: 'mine' }])
    await attest('theirs', [{ content: 'theirs' }])
    for (const file of ['2', hashOf('theirs')])
      expect((await download(attestation_id, `?file=${file}`)).status).toBe(404)
    for (const file of ['0', '01', 'x', '-1', '100'])
      expect((await download(attestation_id, `?file=${file}`)).status).toBe(400)
  })
})

describe('a file that is sent compressed', () => {
  const content = Buffer.from(JSON.stringify(Array.from({ length: 5000 }, (_, i) => ({ component: i }))))

  it('is stored as it was sent and downloaded as it was before, with both hashes', async () => {
    const packed = zlib.gzipSync(content)
    const { evidence_files, attestation_id, evidence_archive_fingerprint } = await attest('packed', [
      {
        name: 'bom.json',
        content: packed,
        headers: ['content-encoding: GZip', 'Content-Type: application/json'],
      },
    ])
    expect(evidence_files).toEqual([
      expect.objectContaining({
        name: 'bom.json',
        media_type: 'application/json',
        bytes: content.length,
        sha256: hashOf(content),
        content_encoding: 'gzip',
        stored_bytes: packed.length,
        stored_sha256: hashOf(packed),
      }),
    ])
    expect(evidence_archive_fingerprint).toBe(hashOf(content))
    expect(await listKept()).toContain(hashOf(packed))
    const unpacked = await download(attestation_id)
    expect(unpacked.bytes.equals(content)).toBe(true)
    expect(unpacked.headers['content-length']).toBe(String(content.length))
    for (const sha256 of [hashOf(content), hashOf(packed)])
      expect((await download(attestation_id, `?file=${sha256}&as=sent`)).bytes.equals(packed)).toBe(true)
  })

  const packed = zlib.gzipSync(content)
  it.each([
    ['a stream that is cut', packed.subarray(0, -9)],
    ['a wrong checksum', Buffer.concat([packed.subarray(0, -8), Buffer.alloc(8)])],
    ['no gzip at all', content],
    ['nothing', Buffer.alloc(0)],
    ['bytes after the end', Buffer.concat([packed, Buffer.from('more')])],
    ['zeros after the end', Buffer.concat([packed, Buffer.alloc(10)])],
  ])('is 400 with the name of the part if it is damaged: %s', async (_, damaged) => {
    const before = await listKept()
    const { status, body } = await attestFiles(app.member, TRAIL, 'damaged', [
      { content: `whole ${damaged.length}` },
      { content: damaged, headers: GZIP },
    ])
    expect([status, body.errors]).toEqual([
      400,
      { attachment_file: 'The file is not a complete gzip stream; nothing was stored' },
    ])
    expect(await findStored('damaged')).toBeUndefined()
    expect([listStaged(), await listKept()]).toEqual([[], before])
  })

  it('is 413 if it grows too much, and is not decompressed to its end', async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(4 * MIB))
    const { status, body } = await attestFiles(app.member, TRAIL, 'bomb', [{ content: bomb, headers: GZIP }])
    const sentence = 'The content is more than 200 times as large as what was sent'
    expect([status, body]).toEqual([413, { message: sentence, errors: { attachment_file: sentence } }])
    expect(listStaged()).toEqual([])
  })

  it.each(['br', 'gzip, gzip', 'klingon'])('is 415 for %s, and says what is accepted', async encoding => {
    const { status, body } = await attestFiles(app.member, TRAIL, 'other', [
      { content: 'x', headers: [`Content-Encoding: ${encoding}`] },
    ])
    expect(status).toBe(415)
    expect(body.message).toContain(
      `The content encoding ${encoding} of a file is not accepted here; send gzip`,
    )
    expect(await findStored('other')).toBeUndefined()
  })

  it('with zstd is stored where Node can decompress it, and 415 elsewhere', async () => {
    const { zstdCompressSync }: { gzipSync: unknown; zstdCompressSync?: (bytes: Buffer) => Buffer } = zlib
    const sent = zstdCompressSync?.(content) ?? content
    const headers = ['Content-Encoding: zstd']
    const { status, body } = await attestFiles(app.member, TRAIL, 'zstd', [{ content: sent, headers }])
    if (!zstdCompressSync) {
      expect([status, body.message]).toEqual([
        415,
        expect.stringMatching(/; send gzip, or the file as it is$/),
      ])
      return
    }
    expect(status).toBe(201)
    const { attestation_id, evidence_files } = await findStored('zstd')
    expect(evidence_files[0]).toMatchObject({ sha256: hashOf(content), stored_sha256: hashOf(sent) })
    expect((await download(attestation_id)).bytes.equals(content)).toBe(true)
    const with_more = [Buffer.from('more'), sent].map(more => Buffer.concat([sent, more]))
    for (const damaged of [sent.subarray(0, -3), sent.subarray(0, -1), ...with_more, Buffer.alloc(0)]) {
      const refused = await attestFiles(app.member, TRAIL, 'zstd', [{ content: damaged, headers }])
      const attachment_file = 'The file is not exactly one complete zstd frame; nothing was stored'
      expect([refused.status, refused.body.errors]).toEqual([400, { attachment_file }])
    }
    const bomb = zstdCompressSync(Buffer.alloc(4 * MIB))
    expect((await attestFiles(app.member, TRAIL, 'zstd', [{ content: bomb, headers }])).status).toBe(413)
    expect(listStaged()).toEqual([])
  })
})

describe('413 and nothing stored', () => {
  it('is for more than ten files', async () => {
    const before = await listKept()
    const files = Array.from({ length: 11 }, (_, i) => ({ content: `eleven ${i}` }))
    const { status, body } = await attestFiles(app.member, TRAIL, 'eleven', files)
    const sentence = 'An attestation has at most 10 files; send fewer, or an archive'
    expect([status, body]).toEqual([413, { message: sentence, errors: { attachment_file: sentence } }])
    expect([listStaged(), await listKept()]).toEqual([[], before])
  })
})

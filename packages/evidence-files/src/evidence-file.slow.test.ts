import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import * as zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { expectProblem, readFixture } from './fixtures.testing.ts'
import { collectEvidence, openEvidence, readJunit, readSbom, recognizeEvidence } from './index.ts'
import { frameZstd } from './zstd.testing.ts'
import { findZstdDecompress } from './zstd.ts'

const MIB = 1024 * 1024
const TEXT = Buffer.from('{"a": 1}\n')
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

const has_zstd = findZstdDecompress() !== undefined

describe('a file', () => {
  it('without compression has one hash', () => {
    const file = openEvidence('a.json', TEXT)
    expect(file).toMatchObject({ name: 'a.json', compression: 'none' })
    expect(file.stored_digest).toEqual({ sha256: hash(TEXT), bytes: TEXT.length })
    expect(file.content_digest).toEqual(file.stored_digest)
  })

  it.each([
    ['gzip', zlib.gzipSync(TEXT), TEXT],
    [
      'gzip in several members',
      Buffer.concat([zlib.gzipSync(TEXT), zlib.gzipSync(TEXT)]),
      Buffer.concat([TEXT, TEXT]),
    ],
    ['gzip of nothing', zlib.gzipSync(Buffer.alloc(0)), Buffer.alloc(0)],
  ])('in %s has both hashes', (_, stored, content) => {
    const file = openEvidence('a.json.gz', stored)
    expect(file.compression).toBe('gzip')
    expect(Buffer.from(file.content)).toEqual(content)
    expect(file.stored_digest).toEqual({ sha256: hash(stored), bytes: stored.length })
    expect(file.content_digest).toEqual({ sha256: hash(content), bytes: content.length })
  })

  it('in zstd is read, or needs a newer Node', () => {
    const stored = frameZstd([TEXT])
    if (!has_zstd) {
      expectProblem(
        () => openEvidence('a.zst', stored),
        'a.zst: reading zstd needs Node 22.15 or newer, this is v20',
      )
      return
    }
    const file = openEvidence('a.zst', stored)
    expect(file.compression).toBe('zstd')
    expect(file.content_digest).toEqual({ sha256: hash(TEXT), bytes: TEXT.length })
  })

  it('is collected from a stream', async () => {
    const stored = zlib.gzipSync(TEXT)
    const stream = Readable.from([stored.subarray(0, 5), stored.subarray(5)])
    expect(await collectEvidence('a.gz', stream)).toEqual(openEvidence('a.gz', stored))
  })

  it('in gzip adds both fingerprints to an SBOM, and every reader accepts it', () => {
    const plain = readFixture('cyclonedx.json')
    const packed = openEvidence('cyclonedx.json.gz', zlib.gzipSync(plain.content))
    expect(readSbom(packed).attestation_data).toEqual({
      ...readSbom(plain).attestation_data,
      compression: 'gzip',
      stored_fingerprint: packed.stored_digest.sha256,
    })
    const xml = zlib.gzipSync(readFixture('junit-suites.xml').content)
    expect(readJunit([openEvidence('a.xml.gz', xml)]).junit_results).toHaveLength(2)
    expect(recognizeEvidence(xml, 'a.xml.gz').format).toBe('junit')
  })
})

describe('a hostile file', () => {
  it.each([
    [
      'truncated',
      zlib.gzipSync(TEXT).subarray(0, 15),
      'a.gz: expected a complete gzip file: unexpected end of file',
    ],
    ['followed by other data', Buffer.concat([zlib.gzipSync(TEXT), TEXT]), 'expected a complete gzip file'],
    ['followed by zeros', Buffer.concat([zlib.gzipSync(TEXT), Buffer.alloc(9)]), 'followed by other data'],
    ['only the first bytes', Buffer.from([0x1f, 0x8b]), 'expected a complete gzip file'],
    ['damaged', zlib.gzipSync(TEXT).fill(0xff, 10, 14), 'expected a complete gzip file'],
  ])('in gzip is refused: %s', (_, stored, sentence) => {
    expectProblem(() => openEvidence('a.gz', stored), sentence)
  })

  it('that expands to more than 512 MiB is refused before it does', () => {
    // Each member expands to 64 MiB.
    const member = zlib.gzipSync(Buffer.alloc(64 * MIB))
    const bomb = Buffer.concat(Array.from({ length: 9 }, () => member))
    expect(bomb.length).toBeLessThan(MIB)
    expectProblem(() => openEvidence('bomb.gz', bomb), 'bomb.gz: expected at most 512 MiB of content')
  })

  it('is not read to the end if the stream exceeds the limit', async () => {
    const chunk = Buffer.alloc(64 * MIB)
    let chunks = 0
    function* endless() {
      for (;;) {
        chunks++
        yield chunk
      }
    }
    await expect(collectEvidence('endless', endless())).rejects.toThrow('endless: expected at most 512 MiB.')
    expect(chunks).toBe(9)
  })
})

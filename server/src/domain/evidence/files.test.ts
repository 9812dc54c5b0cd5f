import { describe, expect, it } from 'vitest'
import {
  chooseFile,
  type EvidenceFile,
  findExpansionProblem,
  findTotalProblem,
  identifyFiles,
  MAX_RATIO,
  parseContentEncoding,
  parseMediaType,
} from './files.ts'

const MIB = 1024 * 1024
const makeFile = (sha256: string, more: Partial<EvidenceFile> = {}): EvidenceFile => ({
  name: 'report.xml',
  media_type: 'application/octet-stream',
  bytes: 1,
  sha256,
  content_encoding: null,
  stored_bytes: 1,
  stored_sha256: sha256,
  ...more,
})

describe('a media type', () => {
  it.each([
    [undefined, 'application/octet-stream'],
    ['', 'application/octet-stream'],
    ['text/xml', 'text/xml'],
    ['Application/VND.cyclonedx+json; version=1.6', 'application/vnd.cyclonedx+json'],
    ['text', 'application/octet-stream'],
    ['text/', 'application/octet-stream'],
    ['text/html\u0000', 'application/octet-stream'],
    ['text/html, text/xml', 'application/octet-stream'],
    [`text/${'x'.repeat(64)}`, 'application/octet-stream'],
    ['<script>/x', 'application/octet-stream'],
  ])('%j is stored as %s', (header, expected) => {
    expect(parseMediaType(header)).toBe(expected)
  })
})

describe('a content encoding', () => {
  it.each([
    [undefined, null],
    ['', null],
    ['identity', null],
    ['gzip', 'gzip'],
    [' GZIP ', 'gzip'],
    ['zstd', 'zstd'],
    ['br', undefined],
    ['x-gzip', undefined],
    ['gzip, gzip', undefined],
    ['gzip;q=1', undefined],
  ])('%j is %s', (header, expected) => {
    expect(parseContentEncoding(header)).toBe(expected)
  })
})

describe('content', () => {
  it.each([
    ['a mebibyte out of anything', 10, MIB, false],
    ['one byte more out of almost nothing', 10, MIB + 1, true],
    ['exactly the ratio', 2 * MIB, 2 * MIB * MAX_RATIO, false],
    ['one byte more than the ratio', 2 * MIB, 2 * MIB * MAX_RATIO + 1, true],
  ])('that grows: %s', (_, sent, content, is_refused) => {
    expect(findExpansionProblem(sent, content) !== undefined).toBe(is_refused)
  })

  it('has a bound for all files together', () => {
    const limits = { evidence_files: 2, evidence_file_bytes: 5, evidence_content_bytes: 9 }
    expect(findTotalProblem(9, limits)).toBeUndefined()
    expect(findTotalProblem(10, limits)).toBe('The files have more than 9 bytes together, decompressed')
  })
})

describe('a file is chosen', () => {
  const files = [
    makeFile('a'.repeat(64)),
    makeFile('b'.repeat(64), { content_encoding: 'gzip', stored_sha256: 'c'.repeat(64) }),
  ]
  it.each([
    ['the first by default', undefined, 0],
    ['by position', '1', 0],
    ['by position', '2', 1],
    ['by the hash of its content', 'b'.repeat(64), 1],
    ['by the hash of what was sent', 'c'.repeat(64), 1],
  ])('%s: %s', (_, wanted, index) => {
    expect(chooseFile(files, wanted)).toBe(files[index])
  })

  it.each(['0', '3', '01', '-1', 'd'.repeat(64), '../1', 'b'.repeat(63)])('and none for %s', wanted => {
    expect(chooseFile(files, wanted)).toBeUndefined()
  })
})

describe('the files of a request', () => {
  it('are identified by what was sent, in order, and one plain file as ever', () => {
    const [a, b] = [makeFile('a'), makeFile('b')]
    const packed = makeFile('x', { content_encoding: 'gzip', stored_sha256: 'b' })
    expect(identifyFiles([])).toBeNull()
    expect(identifyFiles([a])).toBe('a')
    const sets = [[a], [b], [packed], [a, b], [b, a], [a, packed]]
    expect(new Set(sets.map(set => JSON.stringify(identifyFiles(set)))).size).toBe(sets.length)
  })

  it('are the same whether they are compressed or not', () => {
    const [a, b] = [makeFile('a'), makeFile('b')]
    const packed = makeFile('b', { content_encoding: 'gzip', stored_sha256: 'x' })
    expect(identifyFiles([packed])).toEqual(identifyFiles([b]))
    expect(identifyFiles([a, packed])).toEqual(identifyFiles([a, b]))
  })
})

// Reads the archive of an audit package strictly: every reader of archives must see the same files in it. It accepts
// what packages have, plain files with names in one form, and nothing else that the formats ustar and pax know.
import { createGunzip } from 'node:zlib'
import { isPlainPath, toFileKey } from '../domain/audit-package/paths.ts'
import { Unreadable } from './log-files.ts'

const BLOCK = 512
/** A program of an unpacked package must not run as its owner. */
const PERMISSIONS = 0o777
const MAX_PAX_BYTES = 64 * 1024
const MAX_ENTRIES = 200_000
const MAX_ENTRY_BYTES = 4 * 1024 * 1024 * 1024
const MAX_BYTES = 256 * 1024 * 1024 * 1024
/** The name of the header that follows a pax header: its real name is in the pax header. */
const PAX_NAME = 'PaxHeader'
const TIMES = ['mtime', 'atime', 'ctime']

/** The archive is not one that Waybill writes, although it could be unpacked. */
export class ArchiveProblem extends Error {}

export interface ArchiveEntry {
  name: string
  bytes: number
  /** To be read before the next entry. */
  content: AsyncIterable<Buffer>
}

/** Bytes of a stream, in pieces of the wanted length. */
interface ByteReader {
  take(bytes: number): Promise<Buffer>
  stream(bytes: number): AsyncGenerator<Buffer>
  rest(): AsyncGenerator<Buffer>
}

export async function* readArchive(gzipped: NodeJS.ReadableStream): AsyncGenerator<ArchiveEntry> {
  const unzipped = createGunzip()
  gzipped.on('error', error => unzipped.destroy(error)).pipe(unzipped)
  const reader = makeByteReader(unzipped)
  const names = makeNames()
  let left = MAX_BYTES
  try {
    for (let count = 0; ; count++) {
      const header = await readHeader(reader)
      if (!header) break
      const { name, bytes } = header
      left -= bytes
      if (count >= MAX_ENTRIES || bytes > MAX_ENTRY_BYTES || left < 0)
        throw new Unreadable('The package is too large to verify')
      names.add(name)
      yield { name, bytes, content: reader.stream(bytes) }
      await requireZeros(reader, -bytes & (BLOCK - 1))
    }
    await requireEnd(reader)
    names.finish()
  } finally {
    unzipped.destroy()
  }
}

function makeByteReader(source: AsyncIterable<Buffer>): ByteReader {
  const chunks = source[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)
  const fill = async () => {
    const { done, value } = await chunks.next()
    if (done) throw new Unreadable('the archive ends early')
    held = held.length === 0 ? value : Buffer.concat([held, value])
  }
  const take = async (bytes: number) => {
    while (held.length < bytes) await fill()
    const taken = held.subarray(0, bytes)
    held = held.subarray(bytes)
    return taken
  }
  return {
    take,
    stream: async function* (bytes) {
      for (let left = bytes; left > 0; ) {
        if (held.length === 0) await fill()
        const taken = await take(Math.min(left, held.length))
        left -= taken.length
        yield taken
      }
    },
    rest: async function* () {
      yield held
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
    },
  }
}

interface Header {
  name: string
  bytes: number
}

/** Undefined at the end of the archive. */
async function readHeader(reader: ByteReader): Promise<Header | undefined> {
  const first = parseHeader(await reader.take(BLOCK))
  if (!first) return undefined
  if (first.type === '0') return first
  if (first.type !== 'x') throw new ArchiveProblem(`the archive has ${describeType(first)}`)
  if (first.bytes > MAX_PAX_BYTES) throw new Unreadable('The name of a file in the package is too long')
  const name = parsePaxName(await reader.take(first.bytes))
  await requireZeros(reader, -first.bytes & (BLOCK - 1))
  const second = parseHeader(await reader.take(BLOCK))
  if (second?.type !== '0') throw new ArchiveProblem(`the archive has ${describeType({ ...second, name })}`)
  if (second.name !== PAX_NAME) throw new ArchiveProblem(`the archive has two names for ${name}`)
  return { name, bytes: second.bytes }
}

const TYPES: Readonly<Record<string, string>> = {
  '1': 'a link',
  '2': 'a link',
  '5': 'a folder',
  '6': 'a pipe',
  g: 'a global header',
}

const describeType = ({ name = 'a file', type = '' }: { name?: string; type?: string }): string =>
  `${TYPES[type] ?? 'something'} in the place of a plain file: ${name}`

function parseHeader(block: Buffer): (Header & { type: string }) | undefined {
  if (block.every(byte => byte === 0)) return undefined
  const sum = block.reduce((all, byte, i) => all + (i >= 148 && i < 156 ? 32 : byte), 0)
  if (readOctal(block, 148, 8) !== sum) throw new Unreadable('the archive is damaged')
  if (block.toString('latin1', 257, 265) !== 'ustar\u000000')
    throw new Unreadable('the archive was packed again, in another format')
  const type = block.toString('latin1', 156, 157)
  const prefix = readText(block, 345, 155)
  const name = readText(block, 0, 100)
  // An old way to write a folder.
  if (name.endsWith('/') && type === '0')
    throw new ArchiveProblem(`the archive has ${describeType({ name, type: '5' })}`)
  if (readText(block, 157, 100) !== '') return { name, bytes: 0, type: '2' }
  if (readOctal(block, 100, 8) > PERMISSIONS)
    throw new ArchiveProblem(`the archive has a file with special permissions: ${name}`)
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    bytes: readOctal(block, 124, 12),
    type: type === '\0' ? '0' : type,
  }
}

function readOctal(block: Buffer, start: number, length: number): number {
  const [, digits] = /^([0-7]+)[ \0]*$/.exec(block.toString('latin1', start, start + length)) ?? []
  if (digits === undefined) throw new Unreadable('the archive is damaged')
  return Number.parseInt(digits, 8)
}

/** Nothing may be hidden behind the end of a text. */
function readText(block: Buffer, start: number, length: number): string {
  const field = block.subarray(start, start + length)
  const end = field.indexOf(0)
  if (end !== -1 && field.subarray(end).some(byte => byte !== 0))
    throw new ArchiveProblem('a name has two ends')
  return decode(end === -1 ? field : field.subarray(0, end))
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new ArchiveProblem('a name is not text')
  }
}

function parsePaxName(bytes: Buffer): string {
  let name: string | undefined
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at)
    const digits = bytes.toString('latin1', at, Math.max(space, at))
    const end = at + Number(digits)
    if (!/^[1-9]\d{0,5}$/.test(digits) || end > bytes.length || bytes[end - 1] !== 0x0a)
      throw new ArchiveProblem('a pax header is malformed')
    const [, key = '', value = ''] = /^([^=]*)=(.*)$/s.exec(decode(bytes.subarray(space + 1, end - 1))) ?? []
    if (key === 'path' && name === undefined) name = value
    else if (!TIMES.includes(key)) throw new ArchiveProblem(`a pax header sets ${key || 'nothing'}`)
    at = end
  }
  if (name === undefined) throw new ArchiveProblem('a pax header has no name')
  return name
}

async function requireZeros(reader: ByteReader, bytes: number): Promise<void> {
  if ((await reader.take(bytes)).some(byte => byte !== 0))
    throw new ArchiveProblem('something is hidden between two files')
}

/** A second block of zeros, and then nothing: some readers would go on. */
async function requireEnd(reader: ByteReader): Promise<void> {
  await requireZeros(reader, BLOCK)
  for await (const chunk of reader.rest())
    if (chunk.some(byte => byte !== 0)) throw new ArchiveProblem('something follows the end of the archive')
}

/** One file for each name, on every file system. */
function makeNames() {
  const files = new Map<string, string>()
  const folders = new Map<string, string>()
  return {
    add: (name: string) => {
      if (!isPlainPath(name))
        throw new ArchiveProblem(`the archive has a file whose name is not plain: ${name}`)
      const key = toFileKey(name)
      const same = files.get(key)
      if (same !== undefined)
        throw new ArchiveProblem(`the archive has two files of one name: ${same} and ${name}`)
      files.set(key, name)
      const segments = key.split('/')
      for (let i = 1; i < segments.length; i++) folders.set(segments.slice(0, i).join('/'), name)
    },
    finish: () => {
      for (const [key, name] of files)
        if (folders.has(key)) throw new ArchiveProblem(`${name} is a file and a folder`)
    },
  }
}

// The fingerprint of a file: the SHA-256 of its bytes. Reads the next block while hashing the current one.
import { createHash } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { type Bytes, showBytes, toBuffer, toBytes } from './byte-paths.ts'
import { explainFileError, FingerprintProblem } from './problem.ts'

/** For each large file, two blocks of this size are in memory. */
const BLOCK_BYTES = 1024 * 1024
const MIN_BLOCK_BYTES = 4096

export interface FileFingerprint {
  /** 64 hexadecimal digits. */
  fingerprint: string
  size: number
  warnings: string[]
}

export interface HashedFile {
  sha256: string
  size: number
  /** Whether the owner may execute the file. */
  is_executable: boolean
}

/** A symbolic link stands for its target file. */
export async function fingerprintFile(path: string | Uint8Array): Promise<FileFingerprint> {
  const bytes = toBytes(path)
  if (bytes === '') throw new FingerprintProblem('invalid', 'The path of the file is empty. Name a file.')
  const { sha256, size } = await hashFile(bytes, { follow: true })
  return { fingerprint: sha256, size, warnings: [] }
}

/** Without `follow`, a symbolic link is an error: it has replaced the file since its folder was listed. */
export async function hashFile(path: Bytes, { follow }: { follow: boolean }): Promise<HashedFile> {
  try {
    // Opening a device can have side effects, so check its kind first.
    if (follow) ensureRegular(await stat(toBuffer(path)), path)
    // A file that has become a pipe in the meantime must not block.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | (follow ? 0 : constants.O_NOFOLLOW)
    const file = await open(toBuffer(path), flags)
    try {
      const stats = await file.stat()
      ensureRegular(stats, path)
      const { sha256, size } = await hashContent(file, stats.size)
      return { sha256, size, is_executable: (stats.mode & constants.S_IXUSR) !== 0 }
    } finally {
      await file.close()
    }
  } catch (error) {
    throw explainFileError(error, path)
  }
}

/** Names the kind of an entry that has no bytes to hash. */
export function nameSpecialKind(stats: Pick<Stats, 'isFIFO' | 'isSocket' | 'isDirectory'>): string {
  if (stats.isDirectory()) return 'a folder'
  if (stats.isFIFO()) return 'a pipe'
  return stats.isSocket() ? 'a socket' : 'a device'
}

function ensureRegular(stats: Stats, path: Bytes): void {
  if (stats.isFile()) return
  const hint = stats.isDirectory() ? 'Use the fingerprint of a folder.' : 'Only regular files have one.'
  const message = `${showBytes(path)} is ${nameSpecialKind(stats)}, which has no fingerprint of a file. ${hint}`
  throw new FingerprintProblem('invalid', message)
}

async function hashContent(file: FileHandle, expected: number): Promise<{ sha256: string; size: number }> {
  const hash = createHash('sha256')
  // One byte more than expected: a read that does not fill the buffer has reached the end. Files in /proc
  // report no size.
  const room = Math.min(Math.max(expected + 1, MIN_BLOCK_BYTES), BLOCK_BYTES)
  let block: Buffer = Buffer.allocUnsafe(room)
  let spare: Buffer | undefined
  let size = 0
  let reading: Promise<{ bytesRead: number }> = file.read(block, 0, room, null)
  for (;;) {
    const { bytesRead } = await reading
    size += bytesRead
    if (bytesRead === 0 || (size === expected && bytesRead < room)) {
      return { sha256: hash.update(block.subarray(0, bytesRead)).digest('hex'), size }
    }
    const next = spare ?? Buffer.allocUnsafe(room)
    reading = file.read(next, 0, room, null)
    hash.update(block.subarray(0, bytesRead))
    ;[block, spare] = [next, block]
  }
}

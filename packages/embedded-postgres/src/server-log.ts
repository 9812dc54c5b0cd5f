// The log file for all output of PostgreSQL: private, rotated at start, and quoted when a start fails.
import { type FileHandle, open, rename, stat } from 'node:fs/promises'
import path from 'node:path'
import { ignoreAbsent } from './file-system.ts'

const MAX_BYTES = 10 * 1024 * 1024
const QUOTED_BYTES = 4096
const QUOTED_LINES = 8

export function getServerLogPath(data_dir: string): string {
  return path.join(data_dir, 'postgres.log')
}

export async function openServerLog(file: string): Promise<FileHandle> {
  const found = await stat(file).catch(ignoreAbsent)
  if (found !== undefined && found.size > MAX_BYTES) await rename(file, `${file}.1`)
  return open(file, 'a', 0o600)
}

/** Of what was written from this place on. */
export async function readLastLogLines(file: string, from: number): Promise<string> {
  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    const buffer = Buffer.alloc(Math.min(Math.max(size - from, 0), QUOTED_BYTES))
    await handle.read(buffer, 0, buffer.length, size - buffer.length)
    return buffer.toString('utf8').trimEnd().split('\n').slice(-QUOTED_LINES).join('\n')
  } finally {
    await handle.close()
  }
}

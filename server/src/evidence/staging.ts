// Incoming files in `<root>/staging`: written under random names and hashed while they arrive, without buffering them
// in memory. Files that a crashed process left behind are removed after a day.
import { createHash } from 'node:crypto'
import { open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { makeFolderDurably } from '../lib/durable-files.ts'
import { hasCode } from './file-errors.ts'

const MAX_AGE_MS = 24 * 60 * 60 * 1000
/** A whole block: some file systems store a shorter file in its directory entry. */
const PROBE = Buffer.alloc(4096)

export interface StagedFile {
  path: string
  sha256: string
  bytes: number
}

export interface Staging {
  write(content: Readable): Promise<StagedFile>
  /** Writes and removes a file. */
  probe(): Promise<void>
}

export interface StagingOptions {
  root: string
  /** Creates an unguessable name that is safe as a file name. */
  newName: () => string
  now: Date
}

export async function openStaging({ root, newName, now }: StagingOptions): Promise<Staging> {
  const folder = join(root, 'staging')
  await makeFolderDurably(folder)
  await removeLeftOvers(folder, now)
  const write = (content: Readable) => writeStaged(join(folder, newName()), content)
  return {
    write,
    probe: async () => {
      const { path } = await write(Readable.from([PROBE]))
      await rm(path, { force: true })
    },
  }
}

async function writeStaged(path: string, content: Readable): Promise<StagedFile> {
  const hash = createHash('sha256')
  let bytes = 0
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      for await (const chunk of content) {
        const part: Uint8Array = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
        hash.update(part)
        bytes += part.length
        await file.writeFile(part)
      }
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (error) {
    // Without this, the sender would wait forever if the file cannot be opened.
    content.destroy()
    await rm(path, { force: true })
    throw error
  }
  return { path, sha256: hash.digest('hex'), bytes }
}

async function removeLeftOvers(folder: string, now: Date): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    try {
      const { mtime } = await stat(path)
      if (now.getTime() - mtime.getTime() > MAX_AGE_MS) await rm(path, { force: true })
    } catch (error) {
      // Another process that shares the folder was faster.
      if (!hasCode(error, 'ENOENT')) throw error
    }
  }
}

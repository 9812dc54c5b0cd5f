// Writes files that survive a power loss. The content is on disk before the file gets its name, and the name is on disk
// before the promise resolves: `fsync` of the file, then of its folder.
import { link, mkdir, mkdtemp, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const PRIVATE_FILE = 0o600
const PRIVATE_FOLDER = 0o700

/** Replaces an existing file atomically: a reader never sees a partial file under this name. */
export async function writeDurably(file: string, content: string | Uint8Array): Promise<void> {
  await writeTemporary(file, content, temporary => rename(temporary, file))
}

/** Keeps an existing file: if several processes write at once, the first one wins. */
export async function writeOnceDurably(file: string, content: string | Uint8Array): Promise<void> {
  await writeTemporary(file, content, async temporary => {
    try {
      await link(temporary, file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  })
}

/** Creates a private folder and its missing parents. */
export async function makeFolderDurably(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER })
  if (first === undefined) return
  // A new folder is only durable once its parent is synced.
  for (let created = folder; ; created = dirname(created)) {
    await syncFolder(dirname(created))
    if (created === first || created === dirname(created)) return
  }
}

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Writes to a separate folder, because several processes may write the same file at once, and under another name, so
 * that a search for such files does not find a partial one.
 */
async function writeTemporary(
  file: string,
  content: string | Uint8Array,
  giveName: (temporary: string) => Promise<void>,
): Promise<void> {
  const ownFolder = await mkdtemp(join(dirname(file), '.new-'))
  try {
    const temporary = join(ownFolder, 'content')
    const handle = await open(temporary, 'wx', PRIVATE_FILE)
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await giveName(temporary)
    await syncFolder(dirname(file))
  } finally {
    await rm(ownFolder, { recursive: true, force: true })
  }
}

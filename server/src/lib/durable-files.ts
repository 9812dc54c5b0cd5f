// Files that survive a power loss. The content is on the disk before the file gets its name, and the name is on the disk
// before the promise resolves: `fsync` of the file, then of its folder.
import { link, mkdir, mkdtemp, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const PRIVATE_FILE = 0o600
const PRIVATE_FOLDER = 0o700

/** Replaces a file that is there. Whoever looks at the folder never sees half a file under its name. */
export async function writeDurably(file: string, content: string | Uint8Array): Promise<void> {
  await writeAside(file, content, aside => rename(aside, file))
}

/** Leaves a file that is there as it is, whole, whoever wrote it first. */
export async function writeOnceDurably(file: string, content: string | Uint8Array): Promise<void> {
  await writeAside(file, content, async aside => {
    try {
      await link(aside, file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  })
}

/** Readable by its owner alone, with whatever is missing above it. */
export async function makeFolderDurably(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER })
  if (first === undefined) return
  // Each new folder is an entry of the one above it.
  for (let made = folder; ; made = dirname(made)) {
    await syncFolder(dirname(made))
    if (made === first || made === dirname(made)) return
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
 * In a folder of its own, because several may write the same file at the same moment, and under another name, so that
 * whoever looks for files of its kind does not find half of one.
 */
async function writeAside(
  file: string,
  content: string | Uint8Array,
  giveName: (aside: string) => Promise<void>,
): Promise<void> {
  const own = await mkdtemp(join(dirname(file), '.new-'))
  try {
    const aside = join(own, 'content')
    const handle = await open(aside, 'wx', PRIVATE_FILE)
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await giveName(aside)
    await syncFolder(dirname(file))
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}

// The spool's folder. An entry is a folder: written elsewhere, synced, and renamed into `queue/`, so that a
// process killed at any moment leaves either the whole entry or nothing that counts.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, type Dirent } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Part } from '../http/multipart.ts'
import { type Entry, isId, parseEntry, type SpooledPart } from './entry.ts'

const PRIVATE_FOLDER = 0o700
const PRIVATE_FILE = 0o600
const REQUEST_FILE = 'request.json'
const PROBLEM_FILE = 'problem.json'
const DAY_MS = 24 * 60 * 60 * 1000
const ASIDE_MS = DAY_MS
/** Longer than any pipeline run: a counter that starts over would make a new verdict a duplicate. */
const COUNTER_MS = 90 * DAY_MS

export interface SpoolFolder {
  root: string
  queue: string
  refused: string
  /** Entries that are being written or removed. */
  aside: string
  counters: string
}

export interface Refusal {
  message: string
  exit: string
  request_id?: string | undefined
}

export async function openSpool(root: string): Promise<SpoolFolder> {
  const folder = {
    root,
    queue: join(root, 'queue'),
    refused: join(root, 'refused'),
    aside: join(root, 'aside'),
    counters: join(root, 'counters'),
  }
  for (const path of Object.values(folder)) await mkdir(path, { recursive: true, mode: PRIVATE_FOLDER })
  return folder
}

/** Creates a folder for a new entry that does not count yet. */
export async function beginEntry(spool: SpoolFolder, id: string): Promise<string> {
  const folder = join(spool.aside, id)
  await mkdir(folder, { mode: PRIVATE_FOLDER })
  return folder
}

/** Copies a part into the entry's folder, and hashes it on the way. */
export async function copyPart(folder: string, index: number, part: Part): Promise<SpooledPart> {
  const { name, filename, content_type, content } = part
  const file = `part-${index}.bin`
  const hash = createHash('sha256')
  let size = 0
  const count = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk)
      size += chunk.length
      done(null, chunk)
    },
  })
  const target = createWriteStream(join(folder, file), { mode: PRIVATE_FILE, flags: 'wx', flush: true })
  const source = 'bytes' in content ? [content.bytes] : createReadStream(content.path)
  await pipeline(source, count, target)
  return {
    name,
    content_type,
    ...(filename === undefined ? {} : { filename }),
    file,
    size,
    sha256: hash.digest('hex'),
  }
}

/** From here on the entry counts. */
export async function commitEntry(spool: SpoolFolder, entry: Entry): Promise<void> {
  const folder = join(spool.aside, entry.id)
  await writeSynced(join(folder, REQUEST_FILE), JSON.stringify(entry))
  await syncFolder(folder)
  await rename(folder, join(spool.queue, entry.id))
  await syncFolder(spool.queue)
}

export async function dropAside(spool: SpoolFolder, id: string): Promise<void> {
  await rm(join(spool.aside, id), { recursive: true, force: true })
}

/** Lists waiting entries, oldest first, and damaged ones separately: nothing is deleted silently. */
export async function listEntries(folder: string): Promise<{ entries: Entry[]; damaged: string[] }> {
  const entries: Entry[] = []
  const damaged: string[] = []
  for (const id of await listIds(folder)) {
    try {
      entries.push(parseEntry(await readFile(join(folder, id, REQUEST_FILE), 'utf8')))
    } catch (error) {
      // Another process has just delivered it.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') damaged.push(id)
    }
  }
  return { entries, damaged }
}

export async function findNewestId(folder: string): Promise<string | undefined> {
  return (await listIds(folder)).at(-1)
}

async function listIds(folder: string): Promise<string[]> {
  const found: Dirent[] = await readdir(folder, { withFileTypes: true })
  return found
    .filter(item => item.isDirectory() && isId(item.name))
    .map(({ name }) => name)
    .sort()
}

/** Renamed first: an entry is whole or gone, never half. */
export async function removeEntry(spool: SpoolFolder, from: string, id: string): Promise<void> {
  const target = join(spool.aside, `gone-${id}`)
  await rename(join(from, id), target).catch(ignoreMissing)
  await syncFolder(from)
  await rm(target, { recursive: true, force: true })
}

/** Keeps a refused entry so that somebody can look at it. It is never resent automatically. */
export async function refuseEntry(spool: SpoolFolder, id: string, refusal: Refusal): Promise<void> {
  await writeSynced(join(spool.queue, id, PROBLEM_FILE), JSON.stringify(refusal))
  await rename(join(spool.queue, id), join(spool.refused, id)).catch(ignoreMissing)
  await syncFolder(spool.refused)
  await syncFolder(spool.queue)
}

/** Puts a refused entry back, to try it again. */
export async function retryEntry(spool: SpoolFolder, id: string): Promise<void> {
  await rm(join(spool.refused, id, PROBLEM_FILE), { force: true })
  await rename(join(spool.refused, id), join(spool.queue, id))
  await syncFolder(spool.queue)
}

export async function readRefusal(spool: SpoolFolder, id: string): Promise<Refusal | undefined> {
  try {
    return JSON.parse(await readFile(join(spool.refused, id, PROBLEM_FILE), 'utf8')) as Refusal
  } catch {
    // The file only gives people the reason; the entry counts without it.
    return undefined
  }
}

export function getPartPath(folder: string, { id }: Entry, { file }: SpooledPart): string {
  return join(folder, id, basename(file))
}

/** How often this attempt of the run recorded this content; counts up at each call. */
export async function countUp(spool: SpoolFolder, name: string): Promise<number> {
  const path = join(spool.counters, name)
  for (let number = 1; ; number++) {
    try {
      // Exclusive, so that two processes never get the same number.
      const handle = await open(`${path}.${number}`, 'wx', PRIVATE_FILE)
      await handle.close()
      return number
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/** Removes leftovers of killed processes, and the counters of finished runs. */
export async function sweep({ aside, counters }: SpoolFolder, now_ms: number): Promise<void> {
  await removeOlder(aside, now_ms - ASIDE_MS)
  await removeOlder(counters, now_ms - COUNTER_MS)
}

async function removeOlder(folder: string, time_ms: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: time_ms }))
    if (mtimeMs < time_ms) await rm(path, { recursive: true, force: true })
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: PRIVATE_FILE, flush: true })
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => open(dirname(folder), 'r'))
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function ignoreMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}

// The files of a downloaded log. Nothing in them is trusted: a file larger than any honest one is not read, nor is
// one that is not a plain file.
import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatTilePath, type Tile } from '@waybill/transparency-log'

const MAX_CHECKPOINT_BYTES = 64 * 1024
/** 256 entries of 65,535 bytes with their lengths. */
const MAX_TILE_BYTES = 256 * (65_535 + 2)
const MAX_BODIES_BYTES = 32 * 1024 * 1024

/** A file cannot be read, so its content is unknown. */
export class Unreadable extends Error {}

export interface LogFiles {
  readCheckpoint(): Promise<string | undefined>
  /** The checkpoints by file name. */
  readEarlierCheckpoints(): Promise<Map<string, string>>
  readTile(tile: Tile): Promise<Buffer | undefined>
  /** The bodies of a bundle's leaves, one per line. */
  readBodies(number: number, width: number): Promise<string | undefined>
  /** In hexadecimal. */
  readTagKey(): Promise<string | undefined>
  /** The leaves for which the folder has parts. */
  listParts(): Promise<Set<number>>
  readParts(index: number): Promise<Map<string, Buffer>>
}

export const CHECKPOINT = 'checkpoint'
export const EARLIER = 'checkpoints'
export const TAG_KEY = 'tagkey'
const PARTS = 'parts'

/** The bodies of a bundle are beside it, in a file with the same number. */
export function formatBodiesPath(number: number, width: number): string {
  return formatTilePath({ level: 'entries', number, width }).replace('tile/entries', 'bodies')
}

export function openLogFolder(folder: string): LogFiles {
  const read = (path: string, limit: number) => readLimited(join(folder, path), limit)
  const readText = async (path: string) => (await read(path, MAX_CHECKPOINT_BYTES))?.toString('utf8')
  const list = (path: string) => listFolder(join(folder, path))
  return {
    readCheckpoint: () => readText(CHECKPOINT),
    readEarlierCheckpoints: async () => {
      const texts = new Map<string, string>()
      for (const name of await list(EARLIER)) texts.set(name, (await readText(join(EARLIER, name))) ?? '')
      return texts
    },
    readTile: tile => read(formatTilePath(tile), MAX_TILE_BYTES),
    readBodies: async (number, width) =>
      (await read(formatBodiesPath(number, width), MAX_BODIES_BYTES))?.toString('utf8'),
    readTagKey: async () => (await readText(TAG_KEY))?.replace(/\n$/, ''),
    listParts: async () => new Set((await list(PARTS)).map(Number)),
    readParts: async index => {
      const parts = new Map<string, Buffer>()
      for (const name of await list(join(PARTS, String(index))))
        parts.set(name, (await read(join(PARTS, String(index), name), MAX_BODIES_BYTES)) ?? Buffer.alloc(0))
      return parts
    },
  }
}

/** A checkpoint that the auditor has kept. */
export async function readKeptFile(path: string): Promise<string> {
  const bytes = await readLimited(path, MAX_CHECKPOINT_BYTES)
  if (!bytes) throw new Unreadable(`There is no file ${path}`)
  return bytes.toString('utf8')
}

async function readLimited(path: string, limit: number): Promise<Buffer | undefined> {
  try {
    const { size, isFile } = await describe(path)
    if (!isFile) throw new Unreadable(`${path} is not a plain file`)
    if (size > limit) throw new Unreadable(`${path} has ${size} bytes; at most ${limit} are read`)
    return await readFile(path)
  } catch (error) {
    return explain(error, path)
  }
}

/** A link could lead out of the folder, and a pipe would never end. */
async function describe(path: string): Promise<{ size: number; isFile: boolean }> {
  const stats = await lstat(path)
  return { size: stats.size, isFile: stats.isFile() }
}

async function listFolder(path: string): Promise<string[]> {
  try {
    return (await readdir(path)).sort()
  } catch (error) {
    return explain(error, path) ?? []
  }
}

function explain(error: unknown, path: string): undefined {
  if (error instanceof Unreadable) throw error
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
  throw new Unreadable(`${path} cannot be read: ${message}`)
}

// Downloads a log into a folder: tiles, leaves, bodies, and the checkpoint last, so that a folder always has what its
// checkpoint covers. Existing files are not downloaded again. Nothing is trusted here; `verify.ts` checks the folder.
import { mkdir, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  type Checkpoint,
  computeTileWidth,
  formatTilePath,
  isConsistent,
  LogProblem,
  parseCheckpoint,
  parseEntries,
  parseNote,
  TILE_WIDTH,
  type Tile,
} from '@waybill/transparency-log'
import { parseLeaf } from '../domain/log/leaf.ts'
import { parseBodies } from './bodies.ts'
import { makeFindings } from './findings.ts'
import { parseJson } from './json.ts'
import { CHECKPOINT, EARLIER, formatBodiesPath, type LogFiles, openLogFolder, TAG_KEY } from './log-files.ts'
import { isEarlierLog } from './reopened.ts'

const CONNECTIONS = 4
/** Bodies that every verification needs. */
const NEEDED_KINDS = new Set([
  'log_opened',
  'log_reopened',
  'log_key_added',
  'log_key_retired',
  'body_erased',
])

/** The log cannot be downloaded, or not into this folder. */
export class FetchProblem extends Error {}

export interface FetchParts {
  /** Reads a path below the log, such as `checkpoint`. Undefined if the path does not exist. */
  get(path: string): Promise<Buffer | undefined>
  folder: string
  /** Otherwise only the bodies that every verification needs. */
  with_bodies: boolean
}

export interface Fetched {
  origin: string
  size: number
  vkeys: string[]
  files: number
  bodies: number
}

export async function fetchLog(parts: FetchParts): Promise<Fetched> {
  const { get, folder } = parts
  const { origin, epoch, vkeys } = await fetchKeys(get)
  const text = (await require(get, `tiles/${epoch}/checkpoint`)).toString('utf8')
  const newest = parseCheckpointText(text)
  if (newest.origin !== origin)
    throw new FetchProblem(`The server names the log '${origin}' and signs '${newest.origin}'`)
  const files = openLogFolder(folder)
  const kept = await files.readCheckpoint()
  const before = kept === undefined ? undefined : parseCheckpointText(kept)
  if (before) await requireGrown(parts, before, newest, text)
  const counts = { files: 0, bodies: 0 }
  await inParallel(listTiles(newest.size), async tile => {
    if (await exists(join(folder, formatTilePath(tile)))) return
    await write(folder, formatTilePath(tile), await require(get, `tiles/${epoch}/${formatTilePath(tile)}`))
    counts.files += 1
  })
  for (const tile of listLevel('entries', newest.size))
    counts.bodies += await fetchBodies(parts, files, tile, before)
  const opened = parseJson((await readBody(files, 0, newest.size))?.body ?? '')
  const { tag_key } = (opened?.data ?? {}) as { tag_key?: string }
  if (tag_key) await write(folder, TAG_KEY, `${tag_key}\n`)
  if (before && kept !== undefined && before.size < newest.size)
    await write(folder, join(EARLIER, String(before.size)), kept)
  await write(folder, CHECKPOINT, text)
  if (before) await removePartials(folder, before.size, newest.size)
  return { origin, size: newest.size, vkeys, ...counts }
}

async function fetchKeys(get: FetchParts['get']) {
  const keys = await require(get, 'keys')
  const { origin, epoch, keys: listed } = parseJson(keys.toString('utf8')) ?? {}
  if (typeof origin !== 'string' || !Number.isSafeInteger(epoch) || !Array.isArray(listed))
    throw new FetchProblem(
      'This is not the address of a log: write it as https://<host>/api/v2/log/<organization>',
    )
  return { origin, epoch, vkeys: listed.map(({ vkey }: { vkey: unknown }) => String(vkey)) }
}

/** Requires that earlier downloads are the beginning of what the server shows now. */
async function requireGrown(
  { get, folder }: FetchParts,
  before: Checkpoint,
  newest: Checkpoint,
  text: string,
): Promise<void> {
  const refuse = async (why: string): Promise<never> => {
    // Kept as evidence: whoever signed both has some explaining to do.
    const name = join('refused', `checkpoint-${newest.size}`)
    await write(folder, name, text)
    throw new FetchProblem(
      `${why}. Nothing else in the folder was changed; what the server shows is in ${name}`,
    )
  }
  if (before.origin !== newest.origin) {
    const others = `The folder has the log '${before.origin}', and the server shows '${newest.origin}'`
    const isReopened = isEarlierLog(before.origin, newest.origin)
    return refuse(isReopened ? `${others}, which was opened later: ${tellHowToGoOn(folder)}` : others)
  }
  if (before.size > newest.size)
    return refuse(`The server shows ${newest.size} leaves, and the folder has ${before.size}`)
  const path = `consistency?from_size=${before.size}&to_size=${newest.size}`
  const { hashes } = parseJson((await require(get, path)).toString('utf8')) ?? {}
  const proof = Array.isArray(hashes) ? hashes.map(hash => Buffer.from(String(hash), 'base64')) : []
  if (!isConsistent({ from: before, to: newest }, proof))
    return refuse(
      `The log was rewritten: the ${before.size} leaves in the folder are not the beginning of the ${newest.size} on the server`,
    )
}

const tellHowToGoOn = (folder: string): string =>
  `download that into another folder, and verify it with --seen ${join(folder, CHECKPOINT)}`

function* listTiles(size: number): Generator<Tile> {
  yield* listLevel('entries', size)
  for (let level = 0; size >= TILE_WIDTH ** level; level++) yield* listLevel(level, size)
}

function* listLevel(level: Tile['level'], size: number): Generator<Tile> {
  for (let number = 0; ; number++) {
    const width = computeTileWidth({ level, number }, size)
    if (width === 0) return
    yield { level, number, width }
  }
}

/** Returns the number of bodies downloaded. */
async function fetchBodies(
  { get, folder, with_bodies }: FetchParts,
  files: LogFiles,
  { number, width }: Tile,
  before: Checkpoint | undefined,
): Promise<number> {
  const path = formatBodiesPath(number, width)
  if (await exists(join(folder, path))) return 0
  const bundle = await files.readTile({ level: 'entries', number, width })
  const leaves = parseEntries(bundle ?? Buffer.alloc(0)).map(entry => parseLeaf(entry.toString('utf8')))
  const known = await readKnownBodies(files, number, before)
  const wanted = leaves.flatMap((leaf, i) => {
    const index = number * TILE_WIDTH + i
    return (with_bodies || (leaf && NEEDED_KINDS.has(leaf.kind))) && !known.has(index) ? [index] : []
  })
  let fetched = 0
  await inParallel(wanted, async index => {
    // If the server has no body, it may have been erased; a later leaf then records that.
    const { salt, body } = parseJson((await get(`bodies/${index}`))?.toString('utf8') ?? '') ?? {}
    if (typeof salt !== 'string' || typeof body !== 'string') return
    known.set(index, { index, salt, body })
    fetched += 1
  })
  const lines = [...known.values()].sort((a, b) => a.index - b.index).map(line => `${JSON.stringify(line)}\n`)
  if (lines.length > 0 || with_bodies) await write(folder, path, lines.join(''))
  return fetched
}

/** Reads the bodies from a partial file downloaded earlier. */
async function readKnownBodies(files: LogFiles, number: number, before: Checkpoint | undefined) {
  const width = before ? computeTileWidth({ level: 'entries', number }, before.size) : 0
  const text = width === 0 ? undefined : await files.readBodies(number, width)
  return parseBodies(text ?? '', '', makeFindings())
}

async function readBody(files: LogFiles, index: number, size: number) {
  const number = Math.floor(index / TILE_WIDTH)
  const text = await files.readBodies(number, computeTileWidth({ level: 'entries', number }, size))
  return parseBodies(text ?? '', '', makeFindings()).get(index)
}

/** Removes tiles from the right edge of the tree that are now complete, or wider. */
async function removePartials(folder: string, before: number, size: number): Promise<void> {
  const needed = new Set([...listTiles(size)].map(formatTilePath))
  for (const tile of listTiles(before)) {
    if (tile.width === TILE_WIDTH || needed.has(formatTilePath(tile))) continue
    const paths = [formatTilePath(tile)]
    if (tile.level === 'entries') paths.push(formatBodiesPath(tile.number, tile.width))
    for (const path of paths.map(each => join(folder, each))) {
      await rm(path, { force: true })
      const left = await readdir(dirname(path)).catch(() => ['gone'])
      if (left.length === 0) await rmdir(dirname(path))
    }
  }
}

async function require(get: FetchParts['get'], path: string): Promise<Buffer> {
  const bytes = await get(path)
  if (!bytes) throw new FetchProblem(`The server has no ${path}`)
  return bytes
}

function parseCheckpointText(text: string): Checkpoint {
  try {
    return parseCheckpoint(parseNote(text).text)
  } catch (error) {
    if (error instanceof LogProblem) throw new FetchProblem(error.message)
    throw error
  }
}

/** Runs a few at a time. */
async function inParallel<T>(items: Iterable<T>, run: (item: T) => Promise<void>): Promise<void> {
  const iterator = items[Symbol.iterator]()
  const work = async () => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) await run(next.value)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
}

const exists = async (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/** Writes a file completely or not at all. */
async function write(folder: string, path: string, content: string | Buffer): Promise<void> {
  const file = join(folder, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(`${file}.part`, content)
  await rename(`${file}.part`, file)
}

// The log that receipts are compared with, as a service shows it now. Nothing that comes from here is believed.
import { formatTilePath, LogProblem, type ReadTile, type Tile } from '@waybill/transparency-log'
import { parseLeaf } from '../../../server/src/domain/log/leaf.ts'
import { toValues } from '../../../server/src/verifier/json.ts'
import { type Api, fillPath } from '../http/api.ts'
import { Problem } from '../program/problem.ts'

export interface LeafBody {
  leaf: string
  salt: string
  body: string
}

export interface LogSource {
  /** The newest signed note. */
  readCheckpoint(): Promise<string>
  /** Hashes of the log of this number. Undefined if it does not have them. */
  readTile(epoch: number, tile: Tile): Promise<Buffer | undefined>
  readBody(index: number): Promise<LeafBody | undefined>
  /** Where keys were added to a log of this size, except the known ones. */
  listAddedKeys(size: number, known: readonly string[]): Promise<number[]>
}

export function openService(api: Api, org: string, timeout_ms?: number): LogSource {
  const get = async (path: string, query = {}) => {
    try {
      const call = { method: 'GET', path: fillPath('/log/{org}/', { org }) + path, query } as const
      return await api.call(timeout_ms === undefined ? call : { ...call, timeout_ms })
    } catch (error) {
      // An erased body is 410.
      if (error instanceof Problem && error.exit === 'not_found') return undefined
      throw error
    }
  }
  const readLeaves = async (start: number, count: number) =>
    ((await get('leaves', { start, count }))?.json as { leaves: { leaf: string }[] } | undefined)?.leaves ??
    []
  return {
    readCheckpoint: async () => {
      const answer = await get('checkpoint', { newest: true })
      if (answer === undefined) throw new Problem('The organization has no log', { exit: 'not_found' })
      return answer.bytes.toString('utf8')
    },
    readTile: async (epoch, tile) => (await get(`tiles/${epoch}/${formatTilePath(tile)}`))?.bytes,
    readBody: async index => pickBody((await get(`bodies/${index}`))?.json),
    listAddedKeys: async (size, known) => {
      const { keys = [] } = ((await get('keys'))?.json ?? {}) as {
        keys?: { vkey: string; added_at: number }[]
      }
      const unknown = keys.filter(({ vkey }) => !known.includes(vkey))
      const found = []
      for (const { added_at } of unknown)
        found.push(...(await findAddedAt(added_at * 1000, size, readLeaves)))
      return found
    },
  }
}

function pickBody(json: unknown): LeafBody | undefined {
  const { leaf, salt, body } = toValues(json)
  const isWhole = typeof leaf === 'string' && typeof salt === 'string' && typeof body === 'string'
  return isWhole ? { leaf, salt, body } : undefined
}

const PAGE = 1_000
/** The leaf gets its time when it is stored, and the key when it is made: moments before. */
const APART_MS = 1_000

/** The times of leaves never go back, so the place is found in a few steps. */
async function findAddedAt(
  added_ms: number,
  size: number,
  readLeaves: (start: number, count: number) => Promise<{ leaf: string }[]>,
): Promise<number[]> {
  const readTime = async (index: number) =>
    parseLeaf((await readLeaves(index, 1))[0]?.leaf ?? '')?.at_ms ?? Number.POSITIVE_INFINITY
  let [from, to] = [0, size]
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    if ((await readTime(middle)) < added_ms - APART_MS) from = middle + 1
    else to = middle
  }
  const found: number[] = []
  for (let start = from; ; start += PAGE) {
    const page = (await readLeaves(start, PAGE)).map(({ leaf }) => parseLeaf(leaf))
    for (const leaf of page) if (leaf?.kind === 'log_key_added') found.push(leaf.index)
    const last_ms = page.at(-1)?.at_ms ?? Number.POSITIVE_INFINITY
    if (page.length < PAGE || last_ms > added_ms + APART_MS) return found
  }
}

/** Reads the tiles of one log, each once. */
export function makeTileRead({ readTile }: LogSource, origin: string): ReadTile {
  const epoch = readEpoch(origin)
  const known = new Map<string, Promise<Buffer>>()
  return tile => {
    const path = formatTilePath(tile)
    const read = async () => {
      const bytes = await readTile(epoch, tile)
      if (bytes === undefined) throw new LogProblem(`${path} of the log is missing`)
      return bytes
    }
    const found = known.get(path) ?? read()
    known.set(path, found)
    return found
  }
}

/** The last part of the name of a log: it counts the logs of an organization. */
export const readEpoch = (origin: string): number => Number(origin.split('/').at(-1))

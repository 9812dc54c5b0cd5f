import { describe, expect, test } from 'vitest'
import {
  computeRoot,
  computeTileWidth,
  formatEntries,
  formatTilePath,
  hashLeaf,
  hashRanges,
  isIncluded,
  listInclusionRanges,
  makeTileReader,
  parseEntries,
  parseTilePath,
  TILE_WIDTH,
  type Tile,
} from './index.ts'

describe('the path of a tile', () => {
  test.each<[string, Tile]>([
    ['tile/0/000', { level: 0, number: 0, width: 256 }],
    ['tile/0/x001/x234/067', { level: 0, number: 1_234_067, width: 256 }],
    ['tile/1/001.p/17', { level: 1, number: 1, width: 17 }],
    ['tile/63/999', { level: 63, number: 999, width: 256 }],
    ['tile/entries/x001/000.p/255', { level: 'entries', number: 1000, width: 255 }],
  ])('%s is written and read', (path, tile) => {
    expect(formatTilePath(tile)).toBe(path)
    expect(parseTilePath(path)).toEqual(tile)
  })

  test.each([
    'tile/0/0',
    'tile/0/x000/001',
    'tile/00/000',
    'tile/64/000',
    'tile/0/000.p/0',
    'tile/0/000.p/256',
    'tile/0/000.p/007',
    'tile/0/001/x002',
    'tile/entries',
    'tile/-1/000',
    'tile/0/../000',
    '/tile/0/000',
    'tile/0/000/',
  ])('%s names no tile', path => {
    expect(parseTilePath(path)).toBeUndefined()
  })
})

test.each<[Omit<Tile, 'width'>, number]>([
  [{ level: 0, number: 272 }, 256],
  [{ level: 0, number: 273 }, 112],
  [{ level: 0, number: 274 }, 0],
  [{ level: 1, number: 0 }, 256],
  [{ level: 1, number: 1 }, 17],
  [{ level: 2, number: 0 }, 1],
  [{ level: 3, number: 0 }, 0],
  [{ level: 'entries', number: 273 }, 112],
])('tile %j of a tree with 70,000 leaves has the width %i', (tile, width) => {
  expect(computeTileWidth(tile, 70_000)).toBe(width)
})

describe('a proof from tiles', () => {
  const size = 70_000
  const hashes = Array.from({ length: size }, (_, i) => hashLeaf(Buffer.from(String(i))))
  const levels = [hashes]
  for (let below = hashes; below.length >= TILE_WIDTH; ) {
    const full = Math.floor(below.length / TILE_WIDTH)
    below = Array.from({ length: full }, (_, i) =>
      computeRoot(levels.at(-1)?.slice(i * TILE_WIDTH, (i + 1) * TILE_WIDTH) ?? []),
    )
    levels.push(below)
  }
  const readTile = async ({ level, number, width }: Tile & { level: number }) =>
    Buffer.concat(levels[level]?.slice(number * TILE_WIDTH, number * TILE_WIDTH + width) ?? [])
  const root = computeRoot(hashes)

  test('is accepted, and reads few tiles, each once', async () => {
    for (const index of [0, 1, 255, 256, 65_535, 65_536, 69_887, 69_888, 69_999]) {
      const read: string[] = []
      const reader = makeTileReader(size, tile => {
        read.push(formatTilePath(tile))
        return readTile(tile)
      })
      const proof = await hashRanges(listInclusionRanges(index, size), reader)
      expect(isIncluded({ index, size, leaf_hash: hashes[index] as Buffer, root }, proof)).toBe(true)
      expect(new Set(read).size).toBe(read.length)
      expect(read.length).toBeLessThanOrEqual(5)
    }
  })

  test('fails with the name of a tile that is too short', async () => {
    const reader = makeTileReader(size, async tile => (await readTile(tile)).subarray(1))
    await expect(hashRanges(listInclusionRanges(300, size), reader)).rejects.toThrow(
      'tile/0/001 has 8191 bytes instead of 8192',
    )
  })
})

describe('a bundle of entries', () => {
  const entries = [Buffer.from(''), Buffer.from('one'), Buffer.alloc(65_535, 'x')]

  test('is read as it was written', () => {
    expect(parseEntries(formatEntries(entries)).map(String)).toEqual(entries.map(String))
    expect(parseEntries(Buffer.alloc(0))).toEqual([])
  })

  test('has no entry above 65,535 bytes', () => {
    expect(() => formatEntries([Buffer.alloc(65_536)])).toThrow(
      'An entry has 65536 bytes, and may have 65535',
    )
  })

  test.each([1, 3, 4])('that is cut to %i bytes is refused', length => {
    const bundle = formatEntries([Buffer.from('one')])
    expect(() => parseEntries(bundle.subarray(0, length))).toThrow('ends in the middle of an entry')
  })
})

// Shrinks the screenshot of a page: pages have few colours, so it keeps the 256 most frequent ones and replaces every
// other by the nearest of them. Accepts the browser's format: eight bits, with or without alpha, not interlaced.
import { crc32, deflateSync, inflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const TRUE_COLOUR_WITH_ALPHA = 6
const INDEXED_COLOUR = 3
const MAX_COLOURS = 256

export function shrinkPng(png) {
  const header = Buffer.from(readChunks(png, 'IHDR')[0])
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const colours = readColours(png, width, height, header[9] === TRUE_COLOUR_WITH_ALPHA ? 4 : 3)
  const counts = new Map()
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const palette = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a)).slice(0, MAX_COLOURS)
  const indexes = new Map([...counts.keys()].map(colour => [colour, findNearest(palette, colour)]))
  const lines = Buffer.alloc((width + 1) * height)
  for (const [at, colour] of colours.entries())
    lines[Math.floor(at / width) * (width + 1) + 1 + (at % width)] = indexes.get(colour)
  header[9] = INDEXED_COLOUR
  return Buffer.concat([
    SIGNATURE,
    buildChunk('IHDR', header),
    buildChunk('PLTE', Buffer.from(palette.flatMap(getChannels))),
    buildChunk('IDAT', deflateSync(lines, { level: 9, memLevel: 9 })),
    buildChunk('IEND', Buffer.alloc(0)),
  ])
}

function readChunks(png, type) {
  const found = []
  for (let at = SIGNATURE.length; at < png.length; at += png.readUInt32BE(at) + 12) {
    if (png.toString('latin1', at + 4, at + 8) === type)
      found.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  }
  return found
}

/** Returns one number per pixel, after reversing the filters of the lines. */
function readColours(png, width, height, step) {
  const filtered = inflateSync(Buffer.concat(readChunks(png, 'IDAT')))
  const line = width * step
  const bytes = Buffer.alloc(line * height)
  for (let at = 0; at < bytes.length; at++) {
    const [y, x] = [Math.floor(at / line), at % line]
    const left = x >= step ? bytes[at - step] : 0
    const above = y > 0 ? bytes[at - line] : 0
    const corner = x >= step && y > 0 ? bytes[at - line - step] : 0
    bytes[at] = filtered[at + y + 1] + predictByte(filtered[y * (line + 1)], left, above, corner)
  }
  return Uint32Array.from(
    { length: width * height },
    (_, i) => (bytes[i * step] << 16) | (bytes[i * step + 1] << 8) | bytes[i * step + 2],
  )
}

function predictByte(filter, left, above, corner) {
  if (filter === 1) return left
  if (filter === 2) return above
  if (filter === 3) return (left + above) >> 1
  if (filter !== 4) return 0
  const [to_left, to_above] = [Math.abs(above - corner), Math.abs(left - corner)]
  const to_corner = Math.abs(left + above - 2 * corner)
  if (to_left <= to_above && to_left <= to_corner) return left
  return to_above <= to_corner ? above : corner
}

const getChannels = colour => [colour >> 16, (colour >> 8) & 255, colour & 255]

function findNearest(palette, colour) {
  let best = 0
  let shortest = Number.POSITIVE_INFINITY
  const [r, g, b] = getChannels(colour)
  for (const [at, known] of palette.entries()) {
    const [kr, kg, kb] = getChannels(known)
    const distance = (r - kr) ** 2 + (g - kg) ** 2 + (b - kb) ** 2
    if (distance < shortest) [best, shortest] = [at, distance]
  }
  return best
}

function buildChunk(type, data) {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(typed.length + 8)
  framed.writeUInt32BE(data.length, 0)
  typed.copy(framed, 4)
  framed.writeUInt32BE(crc32(typed), typed.length + 4)
  return framed
}

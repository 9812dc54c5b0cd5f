// Identifiers. Stored as UUIDv7, so that keys sort by creation time. On the wire, the first 28 hex digits in groups of
// 8-4-4-4-8, the format that existing clients expect. The last 16 bits are always zero, so that both formats can be
// converted without a lookup.
import { randomBytes } from 'node:crypto'
import type { Clock } from './clock.ts'

export const WIRE_LENGTH = 32
/** `xxxxxxxx-xxxx-7xxx-` */
const TIME_LENGTH = 19
/** How many parts of a millisecond 12 bits distinguish. */
const STEPS_PER_MS = 0x1000
const RANDOM_PER_ID = 6
const RANDOM_BLOCK = 512 * RANDOM_PER_ID
const WIRE_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8}$/

export interface Ids {
  next(): string
}

export function makeIds(clock: Clock): Ids {
  let last_ms = 0
  let last_step = 0
  const random = makeRandomBlocks()
  return {
    next: () => {
      const unix_ms = clock.unix_ms?.() ?? clock.now().getTime()
      const now_ms = Math.floor(unix_ms)
      const now_step = Math.floor((unix_ms - now_ms) * STEPS_PER_MS)
      // At the same moment, or when the clock steps back, the next step keeps the order of creation.
      const isLater = now_ms > last_ms || (now_ms === last_ms && now_step > last_step)
      last_step = isLater ? now_step : last_step + 1
      last_ms = isLater ? now_ms : last_ms
      if (last_step === STEPS_PER_MS) {
        last_step = 0
        last_ms += 1
      }
      return formatUuidv7(last_ms, last_step, random.next())
    },
  }
}

/** Reads random bytes from the system in blocks: one call per id was a measurable part of a request. */
function makeRandomBlocks(): { next(): Buffer } {
  let block = randomBytes(RANDOM_BLOCK)
  let used = 0
  return {
    next: () => {
      if (used + RANDOM_PER_ID > block.length) {
        block = randomBytes(RANDOM_BLOCK)
        used = 0
      }
      used += RANDOM_PER_ID
      return block.subarray(used - RANDOM_PER_ID, used)
    },
  }
}

function formatUuidv7(unix_ms: number, step: number, bytes: Buffer): string {
  const time = unix_ms.toString(16).padStart(12, '0')
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  const ordered = `7${step.toString(16).padStart(3, '0')}`
  return `${time.slice(0, 8)}-${time.slice(8)}-${ordered}-${hex.slice(0, 4)}-${hex.slice(4, 12)}0000`
}

/** Another id with the same time. */
export function makeSiblingId(id: string): string {
  const bytes = randomBytes(RANDOM_PER_ID)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return `${id.slice(0, TIME_LENGTH)}${hex.slice(0, 4)}-${hex.slice(4)}0000`
}

/** The smallest id with a time this much later. */
export function makeLaterId(id: string, later_ms: number): string {
  const time = (Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) + later_ms)
    .toString(16)
    .padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-0000-0000-000000000000`
}

export function toWireId(id: string): string {
  return id.slice(0, WIRE_LENGTH)
}

/** Returns the stored format of an id from a request, or undefined if it is invalid. */
export function parseWireId(wire_id: string): string | undefined {
  return WIRE_PATTERN.test(wire_id) ? `${wire_id}0000` : undefined
}

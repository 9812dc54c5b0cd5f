// Random numbers that need not be unguessable, for spreading work over time and for trace ids.
import { randomBytes } from 'node:crypto'

/** Returns a number from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number

export const systemRandom: Random = () => Math.random()

const BLOCK_BYTES = 4_096

/** Returns random bytes in hex. Reads them from the system in blocks, because a request needs many. */
export function makeRandomHex(): (bytes: number) => string {
  let block = Buffer.alloc(0)
  let used = 0
  return bytes => {
    if (used + bytes > block.length) {
      block = randomBytes(BLOCK_BYTES)
      used = 0
    }
    used += bytes
    return block.toString('hex', used - bytes, used)
  }
}

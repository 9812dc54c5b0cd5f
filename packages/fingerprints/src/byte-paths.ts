// Paths as bytes: names on disk need not be UTF-8. A `Bytes` is a string in which each character is one byte,
// so that comparing strings compares bytes, and paths can be keys of a set.
import { posix } from 'node:path'

declare const brand: unique symbol
export type Bytes = string & { readonly [brand]: true }

export function toBytes(path: string | Uint8Array): Bytes {
  return Buffer.from(path as string).toString('latin1') as Bytes
}

/** The argument for functions of `node:fs`. */
export function toBuffer(bytes: Bytes): Buffer {
  return Buffer.from(bytes, 'latin1')
}

/** The path without empty parts, `.`, removable `..` and a trailing slash. */
export function joinPaths(first: Bytes, second: Bytes): Bytes {
  const joined = posix.join(first, second)
  return (joined.length > 1 && joined.endsWith('/') ? joined.slice(0, -1) : joined) as Bytes
}

/** Formats a path for messages: as UTF-8, in quotes, with control characters escaped. */
export function showBytes(bytes: Bytes): string {
  return JSON.stringify(toBuffer(bytes).toString('utf8')).replaceAll(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

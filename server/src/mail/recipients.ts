// Recipients by the hash of their address, and the link with which they stop all mail of organizations. The token in it
// is the hash, signed: whoever has a mail can stop what goes to its address and learns nothing else.
import { timingSafeEqual } from 'node:crypto'
import type { Sealer } from '../lib/sealer.ts'

const ADDRESS = 'mail recipient'
const STOP_TOKEN = 'mail stop token'
const TOKEN = /^([0-9a-f]{64})\.([0-9a-f]{64})$/
/** The page and the address of one-click requests (RFC 8058). */
export const STOP_PATH = '/auth/mail/stop'

type Hasher = Pick<Sealer, 'hash'>

export function hashAddress(sealer: Hasher, address: string): string {
  return sealer.hash(ADDRESS, address.toLowerCase())
}

export function buildStopUrl(sealer: Hasher, base_url: string, address_hash: string): string {
  return `${base_url}${STOP_PATH}?token=${address_hash}.${sealer.hash(STOP_TOKEN, address_hash)}`
}

/** The hash of the address; undefined if the token is not ours. */
export function readStopToken(sealer: Hasher, token: string | null | undefined): string | undefined {
  const [, address_hash = '', signature = ''] = TOKEN.exec(token ?? '') ?? []
  const expected = Buffer.from(sealer.hash(STOP_TOKEN, address_hash))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected) ? address_hash : undefined
}

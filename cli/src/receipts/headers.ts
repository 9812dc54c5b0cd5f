// What a response says about the leaf of its write: `Waybill-Log`, `Waybill-Log-Proof` and `Waybill-Log-Leaf`.
import { inflateRawSync } from 'node:zlib'
import { LogProblem } from '@waybill/transparency-log'

/** A small header can hold a huge text. */
const MAX_BODY_BYTES = 1024 * 1024

type Headers = Readonly<Record<string, string>>

export interface Place {
  index: number
  count: number
  leaf_hash: string
}

/** What the service hands over with a leaf, which it may leave out if it is large. */
interface HandedOver {
  at_ms: number
  event: string
  tags: readonly string[]
  salt: string
  body: string
}

export interface LeafHeader {
  leaf: HandedOver | undefined
  tag_key: Buffer | undefined
  /** The newest key of the log, without its name. */
  key: string | undefined
}

/** Whether the service knows what was preferred. */
export const isApplied = (headers: Headers): boolean =>
  headers['preference-applied']?.includes('waybill-proof') ?? false

const PLACE = /^index=(\d{1,16}), count=(\d{1,16}), size=\d{1,16}, leaf="([A-Za-z0-9+/]{43}=)"$/

/** Undefined if the write recorded nothing, or if the service has no log. */
export function readPlace(headers: Headers): Place | undefined {
  const text = headers['waybill-log']
  if (text === undefined) return undefined
  const [, index, count, leaf_hash = ''] = PLACE.exec(text) ?? []
  const place = { index: Number(index), count: Number(count), leaf_hash }
  if (![place.index, place.count].every(Number.isSafeInteger))
    throw new LogProblem(`The header Waybill-Log cannot be read: ${text}`)
  return place
}

export function readProof(headers: Headers): string | null {
  const text = headers['waybill-log-proof']
  return text === undefined ? null : Buffer.from(text, 'base64url').toString('utf8')
}

export function readLeafHeader(headers: Headers): LeafHeader | undefined {
  const text = headers['waybill-log-leaf']
  if (text === undefined) return undefined
  const members = new Map(
    [...text.matchAll(/([a-z-]+)=(?:"([^"]*)"|(\d+))/g)].map(([, name, quoted, number]) => [
      name,
      quoted ?? number ?? '',
    ]),
  )
  const [at, event, tags, salt, body] = ['at', 'event', 'tags', 'salt', 'body'].map(name => members.get(name))
  const tag_key = members.get('tag-key')
  const inflated = body === undefined ? undefined : inflate(body)
  const isWhole = at !== undefined && event !== undefined && salt !== undefined && inflated !== undefined
  return {
    leaf: isWhole
      ? { at_ms: Number(at), event, tags: splitTags(tags ?? ''), salt, body: inflated }
      : undefined,
    tag_key: tag_key === undefined ? undefined : Buffer.from(tag_key, 'base64'),
    key: members.get('key'),
  }
}

const TAG_BYTES = 16

function splitTags(encoded: string): string[] {
  const bytes = Buffer.from(encoded, 'base64')
  return Array.from({ length: Math.ceil(bytes.length / TAG_BYTES) }, (_, i) =>
    bytes.subarray(i * TAG_BYTES, (i + 1) * TAG_BYTES).toString('hex'),
  )
}

function inflate(encoded: string): string | undefined {
  try {
    const packed = Buffer.from(encoded, 'base64')
    return inflateRawSync(packed, { maxOutputLength: MAX_BODY_BYTES }).toString('utf8')
  } catch {
    // The caller requests the leaf instead.
    return undefined
  }
}

// The header `Waybill-Log-Leaf`: everything that a client needs to check the leaf of its own write at once.
import { deflateRawSync } from 'node:zlib'
import { formatVerifierKey, type VerifierKey } from '@waybill/transparency-log'
import { toWireId } from '../lib/ids.ts'
import type { RecordedLeaf } from '../log/recorded-leaf-store.ts'
import { printStoredBody } from '../log/stored-body.ts'

/**
 * The limit of proof and leaf together. Many proxies reserve 4 KiB for the headers of a response and answer 502 beyond
 * that, although the write is stored; the other headers need about 1 KiB.
 */
const MAX_BYTES = 3 * 1024

/** A larger body is not compressed, because that takes time: it will hardly fit. */
const MAX_BODY_CHARACTERS = 32 * 1024

/**
 * Only the keys if the rest would not fit beside the proof: the client requests leaf and body. Undefined if the body
 * was erased. `key` is the newest key that signs; its name is the origin of the checkpoint.
 */
export function formatLeafHeader(
  row: RecordedLeaf,
  key: VerifierKey | undefined,
  proof_bytes: number,
): string | undefined {
  const body = printStoredBody(row)
  if (body === undefined || !row.salt) return undefined
  const keys = [
    `tag-key="${row.tag_key.toString('base64')}"`,
    ...(key ? [`key="${formatVerifierKey(key).slice(key.name.length + 1)}"`] : []),
  ].join(', ')
  if (body.length > MAX_BODY_CHARACTERS) return keys
  const leaf = [
    `at=${row.logged_ms}`,
    `event="${toWireId(row.event_id)}"`,
    `tags="${row.tags.toString('base64')}"`,
    `salt="${row.salt.toString('base64')}"`,
    `body="${deflateRawSync(body).toString('base64')}"`,
  ].join(', ')
  return proof_bytes + keys.length + leaf.length > MAX_BYTES ? keys : `${leaf}, ${keys}`
}

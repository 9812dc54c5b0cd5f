// Reads the arrays of db/columns-of-rows.ts back, for tests that resend recorded values and change some of them.
import type { Statement } from '../src/db/statement.ts'
import type { SentQuery } from './sent-queries.ts'

const HEADER_BYTES = 20
const TEXTS = [25, 114]
const BYTES = 17
const UUID = 2950

/** The same values with lists instead of binary arrays. */
export function readColumns({ order, params }: Statement<unknown, unknown>, sent: SentQuery): SentQuery {
  const isArray = (i: number) => params[order[i] ?? '']?.pg.some(name => name.startsWith('_'))
  const values = sent.values.map((value, i) =>
    Buffer.isBuffer(value) && isArray(i) ? readArray(value) : value,
  )
  return { ...sent, values }
}

function readArray(bytes: Buffer): unknown[] {
  const items: unknown[] = []
  const type = bytes.readInt32BE(8)
  for (let at = HEADER_BYTES; at < bytes.length; ) {
    const length = bytes.readInt32BE(at)
    const item = bytes.subarray(at + 4, at + 4 + Math.max(length, 0))
    items.push(length < 0 ? null : readItem(type, item))
    at += 4 + item.length
  }
  return items
}

function readItem(type: number, item: Buffer): unknown {
  if (TEXTS.includes(type)) return item.toString()
  if (type === BYTES) return `\\x${item.toString('hex')}`
  if (type === UUID) return item.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  if (item.length === 1) return item[0] === 1
  return item.length === 4 ? item.readInt32BE() : item.readDoubleBE()
}

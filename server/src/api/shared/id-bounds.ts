// Ids as cursors of lists, and as bounds of time ranges: an id starts with the time at which it was generated.
import { invalid } from '../../lib/errors.ts'
import { parseWireId } from '../../lib/ids.ts'
import { formatInput } from '../../lib/sentences.ts'

/** The time in an id is slightly later than the time in its row. A day is far more than the difference. */
const MARGIN_MS = 86_400_000
const MAX_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const MAX_ID_MS = 0xffff_ffff_ffff

/** No row of that time or later has a smaller id. */
export function toIdBefore(time: Date | null): string {
  return toIdAt(time === null ? 0 : time.getTime() - MARGIN_MS)
}

/** No row of that time or earlier has this id or a greater one. */
export function toIdAfter(time: Date | null): string {
  return time === null ? MAX_ID : toIdAt(time.getTime() + MARGIN_MS)
}

/** The id in a cursor, which is the `next` of an earlier page. */
export function parseCursor(cursor: string): string {
  const id = parseWireId(cursor)
  if (id === undefined) {
    throw invalid({
      'query.cursor': `Input should be the \`next\` of a page [input: ${formatInput(cursor)}]`,
    })
  }
  return id
}

/** The smallest id that could be generated at a time, or at the nearest time that an id can have. */
function toIdAt(unix_ms: number): string {
  const time = Math.floor(Math.max(0, Math.min(MAX_ID_MS, unix_ms)))
    .toString(16)
    .padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}

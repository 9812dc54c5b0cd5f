// Ids as places in a list that is ordered by them, and as bounds of a time: an id begins with the moment it was made at.
import { invalid } from '../../lib/errors.ts'
import { parseWireId } from '../../lib/ids.ts'
import { formatInput } from '../../lib/sentences.ts'

/** An id has the time at which it was made, a little after the moment its row tells; a day is far more than that. */
const MARGIN_MS = 86_400_000
const PAST_EVERY_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const LAST_ID_MS = 0xffff_ffff_ffff

/** No row of that moment or later has a smaller id. */
export function toIdBefore(moment: Date | null): string {
  return toIdAt(moment === null ? 0 : Math.max(0, moment.getTime() - MARGIN_MS))
}

/** No row of that moment or earlier has this id or a greater one. */
export function toIdAfter(moment: Date | null): string {
  return moment === null ? PAST_EVERY_ID : toIdAt(Math.min(LAST_ID_MS, moment.getTime() + MARGIN_MS))
}

/** The place that the `next` of a page means. */
export function parseCursor(cursor: string): string {
  const id = parseWireId(cursor)
  if (id === undefined) {
    throw invalid({
      'query.cursor': `Input should be the \`next\` of a page [input: ${formatInput(cursor)}]`,
    })
  }
  return id
}

/** The least id that could be made at a moment. */
function toIdAt(unix_ms: number): string {
  const time = Math.floor(unix_ms).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}

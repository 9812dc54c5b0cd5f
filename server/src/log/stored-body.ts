// The body of a leaf, printed again from the stored event.
import { formatBody } from '../domain/log/body.ts'
import type { LeafWithEvent } from './check-store.ts'

/** Undefined if the event is gone. */
export function printStoredBody(row: LeafWithEvent): string | undefined {
  const { event_kind: kind, happened_at, actor, request_id, data } = row
  if (kind === null || happened_at === null || actor === null || request_id === null || data === null)
    return undefined
  return formatBody({ ...row, kind, happened_at, actor, request_id, data })
}

// The body of a leaf, printed again from the stored event.
import { formatBody } from '../domain/log/body.ts'
import { COVERAGE } from '../events/coverage.ts'
import type { EventKind } from '../events/kinds.ts'
import { printData } from '../events/to-log.ts'
import type { RecordedLeaf } from './recorded-leaf-store.ts'

type StoredEvent = Omit<RecordedLeaf, 'tag_key'>

/** Undefined if the event or its salt is gone. */
export function printStoredBody(row: StoredEvent): string | undefined {
  const { event_kind: kind, happened_at, actor, request_id, data, values, salt } = row
  if (kind === null || happened_at === null || actor === null || request_id === null) return undefined
  if (data === null || values === null || salt === null) return undefined
  // An event of a newer version may be of an unknown kind, for which nothing is hidden.
  const { hidden } = COVERAGE[kind as EventKind] ?? { hidden: [] }
  // PostgreSQL prints the data in the same way; numbers that only it can represent stay as they are.
  const printed = hidden.length === 0 ? data : printData(salt, values, hidden)
  return formatBody({ ...row, kind, happened_at, actor, request_id, data: printed })
}

// A batch of events for a sink, in the sink's format.
import type { AuditSink } from '../settings/audit-sinks.ts'
import { toOcsf } from './ocsf.ts'
import type { SinkEvent } from './sink-event.ts'

export interface Batch {
  /** The same for every attempt. */
  id: string
  org: string
  first: SinkEvent['log']
  last: SinkEvent['log']
  records: readonly SinkRecord[]
}

export interface SinkRecord {
  event: SinkEvent
  /** One line of JSON in the format of the sink. */
  line: string
}

/** Undefined, or a sentence that explains why the receiver has not accepted the batch. */
export type Refusal = string | undefined

export interface Sender {
  /** Never rejects. */
  send(batch: Batch): Promise<Refusal>
}

export function buildBatch(
  { name, format }: Pick<AuditSink, 'name' | 'format'>,
  events: readonly [SinkEvent, ...SinkEvent[]],
  left_out: ReadonlySet<string>,
  version: string,
): Batch {
  const [{ org, log: first }] = events
  const { log: last } = events.at(-1) ?? events[0]
  const write = (event: SinkEvent) => JSON.stringify(format === 'ocsf' ? toOcsf(event, version) : event)
  return {
    id: `${name}/${org}/${first.epoch}-${first.number}/${last.epoch}-${last.number}`,
    org,
    first,
    last,
    records: events.filter(({ kind }) => !left_out.has(kind)).map(event => ({ event, line: write(event) })),
  }
}

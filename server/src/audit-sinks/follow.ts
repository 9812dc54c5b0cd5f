// Sends the events of all organizations to the operator's sinks, in the order of each log. The cursor of a sink moves only
// after the receiver has accepted a batch, so a killed worker loses nothing. Several workers may do this: each cursor is
// claimed by one of them.

import type { Database } from '../db/database.ts'
import { groupBy } from '../lib/group-by.ts'
import type { Log } from '../lib/log.ts'
import { type Tracer, trace } from '../lib/tracing.ts'
import type { AuditSink } from '../settings/audit-sinks.ts'
import { type Batch, buildBatch, type Refusal, type Sender } from './batch.ts'
import { makeSender, type SenderParts } from './senders.ts'
import { readNextEvents } from './sink-event.ts'
import { acceptBatch, beginBatch, type ClaimedCursor, claimCursors, failBatch } from './store.ts'

const EVERY_MS = 1_000
/** Longer than a receiver may take, so that no other worker sends the same batch meanwhile. */
const CLAIM_MS = 120_000
const CLAIMED_AT_ONCE = 20
const EVENTS_PER_BATCH = 500
/** Pauses after consecutive failures; the last one repeats. */
const PAUSES_MS = [5_000, 15_000, 60_000, 300_000]
/** Reports without changes. The page of events leaves them out, too. */
const LEFT_OUT: ReadonlySet<string> = new Set(['environment_confirmed'])

export interface FollowParts extends SenderParts {
  db: Database
  log: Log
  sinks: readonly AuditSink[]
  tracer?: Tracer | undefined
}

export interface Following {
  /** Waits for batches in progress. */
  stop(): Promise<void>
}

export function startFollowing(parts: FollowParts): Following {
  const senders = makeSenders(parts)
  let running: Promise<void> | undefined
  let stopping = false
  const timer = setInterval(() => {
    running ??= sendToSinks(parts, senders, () => stopping).finally(() => {
      running = undefined
    })
  }, EVERY_MS)
  timer.unref()
  return {
    stop: async () => {
      stopping = true
      clearInterval(timer)
      await running
    },
  }
}

type Senders = ReadonlyMap<string, { sink: AuditSink; sender: Sender }>

export function makeSenders(parts: FollowParts): Senders {
  return new Map(parts.sinks.map(sink => [sink.name, { sink, sender: makeSender(sink, parts) }]))
}

/** Sends everything that is due. */
export async function sendToSinks(
  parts: FollowParts,
  senders: Senders,
  isStopping = () => false,
): Promise<void> {
  const { db, clock, log } = parts
  /** A receiver that has failed in this round is not tried again: there may be hundreds of organizations. */
  const failed = new Map<string, string>()
  try {
    while (!isStopping()) {
      const now = clock.now()
      const until = new Date(now.getTime() + CLAIM_MS)
      const claimed = await claimCursors(db, {
        sinks: [...senders.keys()],
        now,
        until,
        limit: CLAIMED_AT_ONCE,
      })
      if (claimed.length === 0) return
      // Sends one batch at a time to each sink: a receiver gets no more than it can take.
      const sendInTurn = async (cursors: readonly ClaimedCursor[]) => {
        for (const cursor of cursors) {
          await sendNext(parts, senders, cursor, failed).catch(error =>
            // The claim expires, and the batch is sent again.
            log.warn({ err: error, sink: cursor.sink }, 'the events for an audit sink could not be read'),
          )
        }
      }
      await Promise.all([...groupBy(claimed, ({ sink }) => sink).values()].map(sendInTurn))
    }
  } catch (error) {
    log.warn({ err: error }, 'the events due for audit sinks could not be listed')
  }
}

async function sendNext(
  parts: FollowParts,
  senders: Senders,
  cursor: ClaimedCursor,
  failed: Map<string, string>,
): Promise<void> {
  const { db, base_url, version } = parts
  const found = senders.get(cursor.sink)
  if (!found) return
  const known_refusal = failed.get(cursor.sink)
  if (known_refusal !== undefined) return recordFailure(parts, cursor, known_refusal)
  const [first, ...others] = await readNextEvents(db, cursor, EVENTS_PER_BATCH, base_url)
  if (!first) return
  const batch = buildBatch(found.sink, [first, ...others], LEFT_OUT, version)
  const last = { epoch: batch.last.epoch, seq: batch.last.number }
  if (cursor.until_seq === null) await beginBatch(db, cursor, last)
  const refusal = await send(found.sender, batch, found.sink, parts.tracer)
  if (refusal === undefined) return acceptBatch(db, cursor, last, parts.clock.now())
  failed.set(cursor.sink, refusal)
  await recordFailure(parts, cursor, refusal)
}

/** A batch whose events are all left out counts as accepted without a request. */
async function send(
  sender: Sender,
  batch: Batch,
  { name, kind }: AuditSink,
  tracer: Tracer | undefined,
): Promise<Refusal> {
  if (batch.records.length === 0) return undefined
  const attributes = {
    'waybill.audit_sink': name,
    'waybill.org': batch.org,
    'waybill.batch.items': batch.records.length,
  }
  return trace(tracer, { name: `send to ${kind} sink`, kind: 'client', attributes }, async span => {
    const refusal = await sender.send(batch)
    if (refusal !== undefined) span?.fail('not_accepted')
    return refusal
  })
}

async function recordFailure(
  { db, clock, log }: FollowParts,
  cursor: ClaimedCursor,
  message: string,
): Promise<void> {
  const now = clock.now()
  const pause_ms = PAUSES_MS[Math.min(cursor.failures, PAUSES_MS.length - 1)] ?? 0
  const not_before = new Date(now.getTime() + pause_ms)
  // Logged once per outage, not per attempt.
  if (cursor.failures === 0)
    log.warn({ sink: cursor.sink, org_id: cursor.org_id, reason: message }, 'an audit sink accepts no events')
  await failBatch(db, cursor, { now, not_before, message })
}

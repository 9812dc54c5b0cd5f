// Queues items for the collector, and sends them in batches, one at a time. Nobody waits for it: items that do not
// fit are dropped and counted. A batch that the collector may accept later is repeated, everything else is not.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Reply } from '../audit-sinks/http-request.ts'
import type { ExportCounts } from '../lib/export-counts.ts'

export interface QueueLimits {
  most_waiting: number
  batch_size: number
  /** How long items are collected for a batch. */
  every_ms: number
  /** Pauses after consecutive failures; the last one repeats. */
  pauses_ms: readonly [number, ...number[]]
}

export const QUEUE_LIMITS: QueueLimits = {
  most_waiting: 8_192,
  batch_size: 512,
  every_ms: 1_000,
  pauses_ms: [1_000, 2_000, 5_000, 15_000, 30_000],
}

/** Worth another attempt: https://opentelemetry.io/docs/specs/otlp/#failures-1 */
const REPEATED = new Set<number | undefined>([undefined, 429, 502, 503, 504])

export interface CollectorReply extends Reply {
  /** How many items of an accepted batch the collector rejected. */
  rejected: number
}

export interface QueueParts<Item> {
  limits: QueueLimits
  counts: ExportCounts
  send(items: readonly Item[]): Promise<CollectorReply>
  /** Called at the first failure after a success. */
  onRefused(reason: string): void
}

export interface Queue<Item> {
  add(item: Item): void
  /** Sends the queued items until the time is over. */
  stop(within: AbortSignal): Promise<void>
}

export function makeQueue<Item>({ limits, counts, send, onRefused }: QueueParts<Item>): Queue<Item> {
  const waiting: Item[] = []
  const stopped = new AbortController()
  let failures = 0
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined

  async function sendBatch(): Promise<void> {
    const batch = waiting.slice(0, limits.batch_size)
    const { status, refusal, rejected } = await send(batch)
    if (refusal !== undefined && failures === 0) onRefused(refusal)
    failures = refusal === undefined ? 0 : failures + 1
    if (refusal !== undefined && REPEATED.has(status)) return
    waiting.splice(0, batch.length)
    const lost = refusal !== undefined && rejected === 0 ? batch.length : rejected
    counts.exported += batch.length - lost
    counts.refused += lost
  }

  /** A stopping service does not retry a failing collector. */
  async function sendAll(isLast: () => boolean): Promise<void> {
    while (waiting.length > 0 && !(isLast() && failures > 0)) {
      await sendBatch()
      if (failures > 0) await pause()
    }
  }

  async function pause(): Promise<void> {
    const pause_ms = limits.pauses_ms[failures - 1] ?? limits.pauses_ms.at(-1)
    await sleep(pause_ms, undefined, { signal: stopped.signal, ref: false }).catch(() => undefined)
  }

  function start(): void {
    clearTimeout(timer)
    timer = undefined
    sending ??= sendAll(() => stopped.signal.aborted).finally(() => {
      sending = undefined
    })
  }

  return {
    add: item => {
      if (stopped.signal.aborted) counts.stopped += 1
      else if (waiting.length >= limits.most_waiting) counts.queue_full += 1
      else waiting.push(item)
      if (sending || waiting.length === 0 || stopped.signal.aborted) return
      if (waiting.length >= limits.batch_size) start()
      else timer ??= setTimeout(start, limits.every_ms).unref()
    },
    stop: async within => {
      clearTimeout(timer)
      stopped.abort()
      const ended = new Promise<void>(resolve => within.addEventListener('abort', () => resolve()))
      await Promise.race([sending, ended])
      if (!within.aborted) await Promise.race([sendAll(() => true), ended])
      counts.stopped += waiting.length
    },
  }
}

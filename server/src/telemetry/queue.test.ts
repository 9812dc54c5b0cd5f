// The queue for a collector: it is bounded, retries only if that can help, and never makes anybody wait.
import { describe, expect, it } from 'vitest'
import { makeExportCounts } from '../lib/export-counts.ts'
import { type CollectorReply, makeQueue } from './queue.ts'

const TAKEN: CollectorReply = { status: 200, refusal: undefined, rejected: 0 }
const answer = (status: number | undefined): CollectorReply => ({
  status,
  refusal: `it says ${status}`,
  rejected: 0,
})

/** Sends a batch when it is full or when the queue stops. */
function openQueue(answers: (CollectorReply | Promise<CollectorReply>)[], most_waiting = 4) {
  const { traces: counts } = makeExportCounts()
  const sent: number[][] = []
  const refusals: string[] = []
  const queue = makeQueue<number>({
    limits: { most_waiting, batch_size: 2, every_ms: 86_400_000, pauses_ms: [0] },
    counts,
    send: async items => {
      sent.push([...items])
      return answers.shift() ?? TAKEN
    },
    onRefused: reason => refusals.push(reason),
  })
  const addAll = (...items: number[]) => {
    for (const item of items) queue.add(item)
  }
  return { queue, counts, sent, refusals, addAll }
}

const patiently = () => new AbortController().signal

describe('the queue for a collector', () => {
  it('sends full batches at once, and the rest when it stops', async () => {
    const { queue, counts, sent, addAll } = openQueue([])
    addAll(1, 2, 3)
    await queue.stop(patiently())
    expect(sent).toEqual([[1, 2], [3]])
    expect(counts).toEqual({ exported: 3, queue_full: 0, refused: 0, stopped: 0 })
  })

  it('drops what does not fit, and counts it', async () => {
    let reply: (reply: CollectorReply) => void = () => undefined
    const slow = new Promise<CollectorReply>(resolve => {
      reply = resolve
    })
    const { queue, counts, sent, addAll } = openQueue([slow])
    addAll(1, 2, 3, 4, 5, 6)
    expect(counts.queue_full).toBe(2)
    reply(TAKEN)
    await queue.stop(patiently())
    expect(sent.flat()).toEqual([1, 2, 3, 4])
    expect(counts.exported).toBe(4)
  })

  it.each([undefined, 429, 502, 503, 504])('repeats a batch after %s, and reports it once', async status => {
    const { counts, sent, refusals, addAll } = openQueue([answer(status), answer(status)])
    addAll(1, 2)
    await expect.poll(() => counts.exported).toBe(2)
    expect(sent).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ])
    expect(refusals).toEqual([`it says ${status}`])
  })

  it.each([400, 401, 404, 413, 500])('drops a batch after %s, and sends the next', async status => {
    const { counts, sent, addAll } = openQueue([answer(status)])
    addAll(1, 2, 3, 4)
    await expect.poll(() => counts.exported).toBe(2)
    expect(sent).toEqual([
      [1, 2],
      [3, 4],
    ])
    expect(counts.refused).toBe(2)
  })

  it('counts what a collector rejects of a batch', async () => {
    const { counts, addAll } = openQueue([{ status: 200, refusal: 'some', rejected: 1 }])
    addAll(1, 2)
    await expect.poll(() => counts).toEqual({ exported: 1, queue_full: 0, refused: 1, stopped: 0 })
  })

  it('stops when its time is over, although the collector does not answer', async () => {
    const { queue, counts, addAll } = openQueue([new Promise(() => undefined)])
    addAll(1, 2, 3)
    await queue.stop(AbortSignal.timeout(1))
    expect(counts).toEqual({ exported: 0, queue_full: 0, refused: 0, stopped: 3 })
    addAll(4)
    expect(counts.stopped).toBe(4)
  })
})

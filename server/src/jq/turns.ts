// Schedules jq work fairly. Every organization has its own queue, and the queues take turns. One thread is reserved for
// organizations that used little processor time recently, so that nobody waits for the endless programs of others.
import { assert } from '../lib/assert.ts'
import type { Clock } from '../lib/clock.ts'
import { type AppError, tooBusyToEvaluate, tooManyRequests } from '../lib/errors.ts'
import { makeRecentUse } from './recent-use.ts'

/** Threads have numbers, so that a killed thread can be distinguished from one that is ready. */
const SHARED_THREADS = [0, 1]
const RESERVED_THREADS = [2]
/** Fewer than all threads, even if nobody else has work: the next organization would have to wait for this one. */
const MAX_RUNNING_PER_ORG = SHARED_THREADS.length + RESERVED_THREADS.length - 1
const MAX_WAITING_PER_ORG = 64
/** Waiting tasks keep their data in memory. */
const MAX_WAITING = 512
const RETRY_AFTER_SECONDS = 1

export interface Turn {
  thread: number
  /** Reports the processor time of the work and frees the thread for the next one. */
  end(computed_ms: number): void
}

export interface Turns {
  /** Rejects with 429 if the organization has too much work waiting, and with 503 if no thread was free in time. */
  take(org_id: string): Promise<Turn>
  /** Rejects all waiting work. */
  close(): void
}

interface Waiting {
  begin(turn: Turn): void
  reject(error: AppError): void
}

interface Queue {
  running: number
  waiting: Waiting[]
  /** Sequence number of its last turn or, before the first one, of its arrival. */
  since: number
}

export function makeTurns(wait_ms: number, clock: Pick<Clock, 'monotonic_ms'>): Turns {
  const use = makeRecentUse(clock)
  /** Only organizations that have work running or waiting. */
  const queues = new Map<string, Queue>()
  const free: Free = { shared: [...SHARED_THREADS], reserved: [...RESERVED_THREADS] }
  let sequence = 0
  let isClosed = false

  const beginNext = () => {
    for (let next = pickNext(queues, free, use.isHeavy); next; next = pickNext(queues, free, use.isHeavy)) {
      const { org_id, queue } = next
      const threads = free.shared.length > 0 ? free.shared : free.reserved
      const thread = threads.shift()
      assert(thread !== undefined, 'a queue is picked only while a thread is free')
      queue.running += 1
      queue.since = ++sequence
      const endTurn = (computed_ms: number) => {
        threads.push(thread)
        end(org_id, queue, computed_ms)
      }
      queue.waiting.shift()?.begin({ thread, end: endTurn })
    }
  }
  const end = (org_id: string, queue: Queue, computed_ms: number) => {
    queue.running -= 1
    use.add(org_id, computed_ms)
    deleteIfIdle(queues, org_id)
    beginNext()
  }
  return {
    take: org_id =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(tooBusyToEvaluate(RETRY_AFTER_SECONDS))
        const queue = queues.get(org_id) ?? { running: 0, waiting: [], since: ++sequence }
        queues.set(org_id, queue)
        if (queue.waiting.length >= MAX_WAITING_PER_ORG) return reject(tooManyRequests(RETRY_AFTER_SECONDS))
        const timer = setTimeout(() => {
          queue.waiting.splice(queue.waiting.indexOf(waiting), 1)
          deleteIfIdle(queues, org_id)
          reject(tooBusyToEvaluate(RETRY_AFTER_SECONDS))
        }, wait_ms)
        const waiting: Waiting = {
          begin: turn => {
            clearTimeout(timer)
            resolve(turn)
          },
          reject: error => {
            clearTimeout(timer)
            reject(error)
          },
        }
        queue.waiting.push(waiting)
        beginNext()
        shortenLongestQueue(queues)
      }),
    close: () => {
      isClosed = true
      for (const { waiting } of queues.values()) {
        for (const one of waiting.splice(0)) one.reject(tooBusyToEvaluate(RETRY_AFTER_SECONDS))
      }
    },
  }
}

interface Free {
  shared: number[]
  reserved: number[]
}

interface Next {
  org_id: string
  queue: Queue
}

/**
 * Organizations that used little recently go first, then those with less work running, then those whose last turn was
 * longest ago. The reserved thread is used last, and never by heavy users.
 */
function pickNext(
  queues: ReadonlyMap<string, Queue>,
  free: Free,
  isHeavy: (org_id: string) => boolean,
): Next | undefined {
  if (free.shared.length + free.reserved.length === 0) return undefined
  const ready = [...queues]
    .filter(([, { running, waiting }]) => waiting.length > 0 && running < MAX_RUNNING_PER_ORG)
    .map(([org_id, queue]) => ({ org_id, queue, heavy: isHeavy(org_id) }))
    .filter(({ heavy }) => free.shared.length > 0 || !heavy)
    .sort(
      (a, b) =>
        Number(a.heavy) - Number(b.heavy) ||
        a.queue.running - b.queue.running ||
        a.queue.since - b.queue.since,
    )
  const [first] = ready
  return first && { org_id: first.org_id, queue: first.queue }
}

/** If too much work is waiting in total, rejects from the longest queue, whoever arrived last. */
function shortenLongestQueue(queues: ReadonlyMap<string, Queue>): void {
  const all = [...queues.values()]
  if (all.reduce((sum, { waiting }) => sum + waiting.length, 0) <= MAX_WAITING) return
  const longest = all.reduce((a, b) => (b.waiting.length > a.waiting.length ? b : a))
  longest.waiting.pop()?.reject(tooManyRequests(RETRY_AFTER_SECONDS))
}

function deleteIfIdle(queues: Map<string, Queue>, org_id: string): void {
  const queue = queues.get(org_id)
  if (queue?.running === 0 && queue.waiting.length === 0) queues.delete(org_id)
}

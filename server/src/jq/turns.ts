// Whose work runs next. Every organization has a queue of its own, and the queues take turns. One thread is spare: it is
// for organizations that used little processor time lately, so that nobody waits for endless programs of others.
import { assert } from '../lib/assert.ts'
import type { Clock } from '../lib/clock.ts'
import { type AppError, starved, tooManyRequests } from '../lib/errors.ts'
import { makeRecentUse } from './recent-use.ts'

/** Threads have numbers, so that a thread that was killed is told from one that is ready. */
const SHARED_THREADS = [0, 1]
const SPARE_THREADS = [2]
/** Never all threads, even while nobody else has work: whoever comes next would wait for this organization. */
const MOST_RUNNING_PER_ORG = SHARED_THREADS.length + SPARE_THREADS.length - 1
const MOST_WAITING_PER_ORG = 64
/** Each waits with its data in memory. */
const MOST_WAITING = 512
const RETRY_AFTER_SECONDS = 1

export interface Turn {
  thread: number
  /** Says how much processor time the work took, and lets the next begin, in this thread too. */
  end(computed_ms: number): void
}

export interface Turns {
  /** Rejects with 429 when the organization has too much waiting, with 503 when no thread was free in time. */
  take(org_id: string): Promise<Turn>
  /** Rejects everything that waits. */
  close(): void
}

interface Waiting {
  begin(turn: Turn): void
  refuse(why: AppError): void
}

interface Queue {
  running: number
  waiting: Waiting[]
  /** When it last got a turn, or else joined: the queues go round. */
  since: number
}

export function makeTurns(wait_ms: number, clock: Pick<Clock, 'monotonic_ms'>): Turns {
  const use = makeRecentUse(clock)
  /** Of the organizations that have something running or waiting. */
  const queues = new Map<string, Queue>()
  const free: Free = { shared: [...SHARED_THREADS], spare: [...SPARE_THREADS] }
  let sequence = 0
  let isClosed = false

  const beginNext = () => {
    for (let next = pickNext(queues, free, use.isHeavy); next; next = pickNext(queues, free, use.isHeavy)) {
      const { org_id, queue } = next
      const threads = free.shared.length > 0 ? free.shared : free.spare
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
    forgetWhenIdle(queues, org_id)
    beginNext()
  }
  return {
    take: org_id =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(starved(RETRY_AFTER_SECONDS))
        const queue = queues.get(org_id) ?? { running: 0, waiting: [], since: ++sequence }
        queues.set(org_id, queue)
        if (queue.waiting.length >= MOST_WAITING_PER_ORG) return reject(tooManyRequests(RETRY_AFTER_SECONDS))
        const timer = setTimeout(() => {
          queue.waiting.splice(queue.waiting.indexOf(waiting), 1)
          forgetWhenIdle(queues, org_id)
          reject(starved(RETRY_AFTER_SECONDS))
        }, wait_ms)
        const waiting: Waiting = {
          begin: turn => {
            clearTimeout(timer)
            resolve(turn)
          },
          refuse: why => {
            clearTimeout(timer)
            reject(why)
          },
        }
        queue.waiting.push(waiting)
        beginNext()
        refuseWhereMostWait(queues)
      }),
    close: () => {
      isClosed = true
      for (const { waiting } of queues.values()) {
        for (const one of waiting.splice(0)) one.refuse(starved(RETRY_AFTER_SECONDS))
      }
    },
  }
}

interface Free {
  shared: number[]
  spare: number[]
}

interface Next {
  org_id: string
  queue: Queue
}

/**
 * Organizations that used little lately go first, then those of which less runs, then those whose turn is longest ago. The
 * spare thread is used last, and never by those that used much.
 */
function pickNext(
  queues: ReadonlyMap<string, Queue>,
  free: Free,
  isHeavy: (org_id: string) => boolean,
): Next | undefined {
  if (free.shared.length + free.spare.length === 0) return undefined
  const ready = [...queues]
    .filter(([, { running, waiting }]) => waiting.length > 0 && running < MOST_RUNNING_PER_ORG)
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

/** Where all queues together are too long, the longest is to blame, whoever came last. */
function refuseWhereMostWait(queues: ReadonlyMap<string, Queue>): void {
  const all = [...queues.values()]
  if (all.reduce((sum, { waiting }) => sum + waiting.length, 0) <= MOST_WAITING) return
  const longest = all.reduce((most, queue) => (queue.waiting.length > most.waiting.length ? queue : most))
  longest.waiting.pop()?.refuse(tooManyRequests(RETRY_AFTER_SECONDS))
}

function forgetWhenIdle(queues: Map<string, Queue>, org_id: string): void {
  const queue = queues.get(org_id)
  if (queue?.running === 0 && queue.waiting.length === 0) queues.delete(org_id)
}

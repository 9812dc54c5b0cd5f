// Schedules jq work fairly. Sponsors take turns, and so do the organizations of one sponsor, each with its own queue.
// One thread is reserved for sponsors that used little processor time recently, so that nobody waits for the endless
// programs of others.
import { assert } from '../lib/assert.ts'
import type { Clock } from '../lib/clock.ts'
import { type AppError, tooBusyToEvaluate, tooManyRequests } from '../lib/errors.ts'
import { groupBy } from '../lib/group-by.ts'
import { makeRecentUse } from './recent-use.ts'

/** Threads have numbers, so that a killed thread can be distinguished from one that is ready. */
const SHARED_THREADS = [0, 1]
const RESERVED_THREADS = [2]
/** Fewer than all threads, even if nobody else has work: the next sponsor would have to wait for this one. */
const MAX_RUNNING_PER_SPONSOR = SHARED_THREADS.length + RESERVED_THREADS.length - 1
const MAX_WAITING_PER_ORG = 64
/** Waiting tasks keep their data in memory. */
const MAX_WAITING = 512
const RETRY_AFTER_SECONDS = 1

export interface Turn {
  thread: number
  /** Reports the processor time of the work and frees the thread for the next one. */
  end(computed_ms: number): void
}

/** Whose work it is. */
export interface TurnTaker {
  org_id: string
  /** Who stands behind the organization (domain/sponsor.ts). */
  sponsor: string
}

export interface Turns {
  /** Rejects with 429 if the organization has too much work waiting, and with 503 if no thread was free in time. */
  take(taker: TurnTaker): Promise<Turn>
  /** Rejects all waiting work. */
  close(): void
}

interface Waiting {
  begin(turn: Turn): void
  reject(error: AppError): void
}

interface Share {
  running: number
  /** Sequence number of its last turn or, before the first one, of its arrival. */
  since: number
}

interface Queue extends Share {
  org_id: string
  sponsor: string
  /** Of the sponsor, together with its other organizations. */
  share: Share
  waiting: Waiting[]
}

export function makeTurns(wait_ms: number, clock: Pick<Clock, 'monotonic_ms'>): Turns {
  const use = makeRecentUse(clock)
  /** By organization: only those that have work running or waiting. */
  const queues = new Map<string, Queue>()
  const free: Free = { shared: [...SHARED_THREADS], reserved: [...RESERVED_THREADS] }
  let sequence = 0
  let isClosed = false

  const beginNext = () => {
    const queue = pickNext(queues, free, use.isHeavy)
    if (!queue) return
    const threads = free.shared.length > 0 ? free.shared : free.reserved
    const thread = threads.shift()
    assert(thread !== undefined, 'a queue is picked only while a thread is free')
    sequence += 1
    for (const counted of [queue, queue.share]) {
      counted.running += 1
      counted.since = sequence
    }
    const endTurn = (computed_ms: number) => {
      threads.push(thread)
      end(queue, computed_ms)
    }
    queue.waiting.shift()?.begin({ thread, end: endTurn })
    beginNext()
  }
  const end = (queue: Queue, computed_ms: number) => {
    for (const counted of [queue, queue.share]) counted.running -= 1
    for (const user of new Set([queue.org_id, queue.sponsor])) use.add(user, computed_ms)
    deleteIfIdle(queues, queue)
    beginNext()
  }
  return {
    take: taker =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(tooBusyToEvaluate(RETRY_AFTER_SECONDS))
        const queue = findOrAddQueue(queues, taker, ++sequence)
        if (queue.waiting.length >= MAX_WAITING_PER_ORG) return reject(tooManyRequests(RETRY_AFTER_SECONDS))
        const timer = setTimeout(() => {
          queue.waiting.splice(queue.waiting.indexOf(waiting), 1)
          deleteIfIdle(queues, queue)
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

/** With the share of the sponsor's other organizations that have work. */
function findOrAddQueue(queues: Map<string, Queue>, { org_id, sponsor }: TurnTaker, since: number): Queue {
  const known = queues.get(org_id)
  if (known) return known
  const sibling = [...queues.values()].find(queue => queue.sponsor === sponsor)
  const share = sibling?.share ?? { running: 0, since }
  const queue = { org_id, sponsor, share, running: 0, since, waiting: [] }
  queues.set(org_id, queue)
  return queue
}

interface Free {
  shared: number[]
  reserved: number[]
}

/**
 * Sponsors that used little recently go first, then those with less work running, then those whose last turn was
 * longest ago; and likewise the organizations of one sponsor. The reserved thread is used last, and never by heavy
 * users.
 */
function pickNext(
  queues: ReadonlyMap<string, Queue>,
  free: Free,
  isHeavy: (user: string) => boolean,
): Queue | undefined {
  if (free.shared.length + free.reserved.length === 0) return undefined
  const [first] = [...queues.values()]
    .filter(({ share, waiting }) => waiting.length > 0 && share.running < MAX_RUNNING_PER_SPONSOR)
    .map(queue => ({ queue, of_sponsor: isHeavy(queue.sponsor), of_org: isHeavy(queue.org_id) }))
    .filter(({ of_sponsor }) => free.shared.length > 0 || !of_sponsor)
    .sort(
      (a, b) =>
        Number(a.of_sponsor) - Number(b.of_sponsor) ||
        compareShares(a.queue.share, b.queue.share) ||
        Number(a.of_org) - Number(b.of_org) ||
        compareShares(a.queue, b.queue),
    )
  return first?.queue
}

const compareShares = (a: Share, b: Share) => a.running - b.running || a.since - b.since

/** If too much work is waiting in total, rejects work of the sponsor that has most, from its longest queue. */
function shortenLongestQueue(queues: ReadonlyMap<string, Queue>): void {
  const sponsors = [...groupBy([...queues.values()], ({ sponsor }) => sponsor).values()]
  if (countWaiting([...queues.values()]) <= MAX_WAITING) return
  const most = sponsors.reduce((a, b) => (countWaiting(b) > countWaiting(a) ? b : a))
  const longest = most.reduce((a, b) => (b.waiting.length > a.waiting.length ? b : a))
  longest.waiting.pop()?.reject(tooManyRequests(RETRY_AFTER_SECONDS))
}

const countWaiting = (queues: readonly Queue[]) =>
  queues.reduce((sum, { waiting }) => sum + waiting.length, 0)

function deleteIfIdle(queues: Map<string, Queue>, { org_id, running, waiting }: Queue): void {
  if (running === 0 && waiting.length === 0) queues.delete(org_id)
}

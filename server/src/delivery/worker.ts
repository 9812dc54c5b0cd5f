// The outbox worker: runs as many jobs as it has slots, fairly across sponsors and targets, renews their leases while they
// run, and does not wait for one job before claiming the next. The handlers of job kinds are passed in.
import { type AttemptParts, attemptJob } from './attempt.ts'
import { claimJobs, extendLeases, type Job } from './outbox.ts'

/** The delay that a worker crash causes for its jobs. */
const LEASE_MS = 20_000
const HEARTBEAT_MS = 5_000
const MAX_RUNNING = 64
const MAX_PER_SPONSOR = 8
/** Leaves most of the sponsor's share to its other targets when a receiver hangs. */
const MAX_PER_TARGET = 2
/** Longer than a receiver may take to respond. */
const PROBE_MS = 60_000
/** Slots reserved for sponsors without a running job, so that a few hanging ones cannot take all slots. */
const RESERVED_SLOTS = 16
/** Free slots are filled in batches: when this many are free, or after this long. */
const GATHER_SLOTS = 8
const GATHER_MS = 5
/** Shutdown waits at most this long for a hanging receiver; another worker then sends the message. */
const FINISH_WITHIN_MS = 20_000
/** The worker counts as stalled after this long without a round of the loop. */
const STALL_MS = 30_000

/** How often it polls when nothing wakes it. */
export const POLL_MS = 500

export interface WorkerParts extends AttemptParts {
  poll_ms: number
}

export interface Worker {
  isHealthy(): boolean
  /** Polls at once; called when new work was queued. */
  wake(): void
  stop(): Promise<void>
}

export function startWorker(parts: WorkerParts): Worker {
  const { clock, log, poll_ms } = parts
  const signal = makeWakeSignal()
  const jobs = makeRunningJobs(parts, signal)
  let stopping = false
  let give_up_ms = Number.POSITIVE_INFINITY
  let last_round_ms = clock.monotonic_ms()

  async function round(): Promise<void> {
    // Comes first, and if it fails nothing is claimed: a worker must never claim a job that it is running itself.
    await jobs.renewLeases()
    if (!stopping) await jobs.claim()
    last_round_ms = clock.monotonic_ms()
  }

  async function runLoop(): Promise<void> {
    const isNeeded = () => !stopping || (jobs.count() > 0 && clock.monotonic_ms() < give_up_ms)
    while (isNeeded()) {
      // The database is not available.
      await round().catch(error => log.warn({ err: error }, 'the worker will try again'))
      if (isNeeded()) await signal.wait(poll_ms)
    }
    await jobs.releaseLeases()
  }

  const running = runLoop()
  return {
    isHealthy: () => clock.monotonic_ms() - last_round_ms < STALL_MS,
    wake: signal.wake,
    stop: async () => {
      stopping = true
      give_up_ms = clock.monotonic_ms() + FINISH_WITHIN_MS
      signal.wake()
      await running
    },
  }
}

interface RunningJobs {
  count(): number
  /** Starts as many jobs as there are free slots. */
  claim(): Promise<void>
  /** Extends the leases when it is time to. */
  renewLeases(): Promise<void>
  /** Releases the leases of running jobs, so that another worker need not wait for them to expire. */
  releaseLeases(): Promise<void>
}

function makeRunningJobs(parts: WorkerParts, signal: WakeSignal): RunningJobs {
  const { db, clock, log } = parts
  const running = new Set<Job>()
  const lost = new WeakSet<Job>()
  let renewed_ms = clock.now().getTime()
  let may_be_more = false
  let freed = 0
  const computeLeaseEnd = (now: Date) => new Date(now.getTime() + LEASE_MS)

  async function run(job: Job): Promise<void> {
    running.add(job)
    try {
      await attemptJob(job, parts)
    } catch (error) {
      // A failure of one job must not affect the others; the job is claimed again when its lease expires.
      log.warn({ err: error, job_id: job.job_id }, 'the outcome of a job could not be recorded')
    } finally {
      running.delete(job)
      freed += 1
      if (running.size === 0 || (may_be_more && freed >= GATHER_SLOTS)) signal.wake()
      else if (may_be_more) signal.wakeWithin(GATHER_MS)
    }
  }

  return {
    count: () => running.size,
    claim: async () => {
      freed = 0
      const now = clock.now()
      const free = MAX_RUNNING - running.size
      const is_tight = free <= RESERVED_SLOTS
      const limit = is_tight ? free : free - RESERVED_SLOTS
      const max_per_sponsor = is_tight ? 1 : MAX_PER_SPONSOR
      const limits = { limit, max_per_sponsor, max_per_target: MAX_PER_TARGET }
      const [busy, busy_orgs] = [countBy(running, 'sponsor'), countBy(running, 'org_id')]
      const busy_targets = countBy(running, 'target_id')
      const times = {
        now,
        lease_until: computeLeaseEnd(now),
        probe_until: new Date(now.getTime() + PROBE_MS),
      }
      const claimed =
        free === 0 ? [] : await claimJobs(db, { ...limits, busy, busy_orgs, busy_targets, ...times })
      for (const job of claimed) void run(job)
      may_be_more =
        claimed.length === limit ||
        hasFull(countBy(running, 'sponsor'), max_per_sponsor) ||
        hasFull(countBy(running, 'target_id'), MAX_PER_TARGET)
      if ((claimed.length === limit && free > limit) || haveSiblings(claimed)) signal.wake()
    },
    renewLeases: async () => {
      const now = clock.now()
      // In either direction: leases are timestamps, and the clock may have been set.
      if (running.size > 0 && Math.abs(now.getTime() - renewed_ms) < HEARTBEAT_MS) return
      const jobs = [...running].filter(job => !lost.has(job))
      const kept = jobs.length === 0 ? [] : await extendLeases(db, jobs, computeLeaseEnd(now))
      for (const job of jobs) if (!kept.includes(job)) lost.add(job)
      renewed_ms = now.getTime()
    },
    releaseLeases: async () => {
      if (running.size === 0) return
      log.warn({ jobs: running.size }, 'jobs were left to the next worker')
      // If this fails, the leases expire.
      await extendLeases(db, [...running], clock.now()).catch(error =>
        log.warn({ err: error }, 'leases could not be released'),
      )
    },
  }
}

function hasFull(counts: Readonly<Record<string, number>>, max: number): boolean {
  return Object.values(counts).some(count => count >= max)
}

/** The organizations of one sponsor divide its places, and one of them may have left some. */
function haveSiblings(jobs: readonly Job[]): boolean {
  return new Set(jobs.map(({ org_id }) => org_id)).size > new Set(jobs.map(({ sponsor }) => sponsor)).size
}

/** Jobs without a target count for no target. */
function countBy(jobs: ReadonlySet<Job>, column: 'sponsor' | 'org_id' | 'target_id'): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { [column]: key } of jobs) if (key !== null) counts[key] = (counts[key] ?? 0) + 1
  return counts
}

interface WakeSignal {
  wake(): void
  wakeWithin(ms: number): void
  /** Waits until woken, at most this long. Returns at once if it was woken before. */
  wait(ms: number): Promise<void>
}

function makeWakeSignal(): WakeSignal {
  let is_woken = false
  let resolveWait: () => void = () => undefined
  let timeout: NodeJS.Timeout | undefined
  const wake = () => {
    is_woken = true
    resolveWait()
  }
  return {
    wake: wake,
    wakeWithin: ms => {
      timeout ??= setTimeout(wake, ms)
    },
    wait: async ms => {
      let timer: NodeJS.Timeout | undefined
      if (!is_woken) {
        await new Promise<void>(resolve => {
          resolveWait = resolve
          timer = setTimeout(resolve, ms).unref()
        })
      }
      clearTimeout(timer)
      clearTimeout(timeout)
      timeout = undefined
      is_woken = false
    },
  }
}
